import type { Outcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { AdmissionPlugin, AdmissionRequest, Allowed } from "./admission-plugin.ts";
import type { Companions } from "./companion.ts";

/** The plug-ins of a server, asked one after the other. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #report: (error: unknown) => void;

  /**
   * Plug-ins may be added to the list later. `report` hears of plug-ins that fail when told of an outcome; the write they
   * are told of stands.
   */
  constructor(plugins: readonly AdmissionPlugin[], report: (error: unknown) => void) {
    this.#plugins = plugins;
    this.#report = report;
  }

  async mutate(request: AdmissionRequest, object: ApiObject, signal: AbortSignal): Promise<ApiObject> {
    let current = object;
    for (const { mutate } of this.#plugins) {
      if (mutate === undefined) continue;
      current = await mutate(current === request.object ? request : { ...request, object: current }, signal);
    }
    return current;
  }

  /** Throws when a plug-in refuses; those before it are told that nothing was stored. */
  async validate(request: AdmissionRequest, signal: AbortSignal): Promise<Admitted> {
    const admitted = new Admitted(this.#report);
    try {
      for (const { validate } of this.#plugins) {
        if (validate === undefined) continue;
        const verdict = await validate(request, signal);
        if (!verdict.allowed) throw new StatusError(verdict.status);
        admitted.add(verdict);
      }
    } catch (error) {
      admitted.settle({ stored: false });
      throw error;
    }
    return admitted;
  }

  /** What goes together with an object that leaves the store. */
  removing(leaving: StoredObject): Companions | undefined {
    for (const { removing } of this.#plugins) {
      const companions = removing?.(leaving);
      if (companions !== undefined) return companions;
    }
    return undefined;
  }
}

/** A change that all plug-ins allow. The caller stores it, and tells them the outcome once. */
export class Admitted {
  readonly #verdicts: Allowed[] = [];
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(verdict: Allowed): void {
    if (verdict.settled !== undefined || verdict.together !== undefined) this.#verdicts.push(verdict);
  }

  /** What is to be stored with the object. */
  get companions(): Companions | undefined {
    return this.#verdicts.find(({ together }) => together !== undefined)?.together?.companions;
  }

  /** Asks the plug-in with the companions for another verdict. Throws when it refuses. */
  async withoutCompanions(why: "declined" | "conflict", signal: AbortSignal): Promise<void> {
    const at = this.#verdicts.findIndex(({ together }) => together !== undefined);
    const [verdict] = this.#verdicts.splice(at, 1);
    const other = await verdict?.together?.orElse(why, signal);
    if (other?.allowed === false) throw new StatusError(other.status);
    if (other !== undefined) this.add(other);
  }

  settle(outcome: Outcome): void {
    for (const { settled } of this.#verdicts.splice(0)) {
      try {
        settled?.(outcome);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
