import type { StorageOutcome } from "@milo-quota/kubernetes/protocol/admission-verdict.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { AdmissionPlugin, AdmissionRequest, Allowed } from "./admission-plugin.ts";
import type { Companions } from "./companion.ts";

/** Runs the admission plug-ins in order. */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #report: (error: unknown) => void;

  /** Plug-ins may be appended later. Errors of `onSettled` go to `report`; the write itself has succeeded. */
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

  /** Throws when a plug-in rejects; plug-ins before it are notified that nothing was stored. */
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

  /** Companions of an object that is removed from the store. */
  companionsOfRemoval(leaving: StoredObject): Companions | undefined {
    for (const { companionsOfRemoval } of this.#plugins) {
      const companions = companionsOfRemoval?.(leaving);
      if (companions !== undefined) return companions;
    }
    return undefined;
  }
}

/** A change that all plug-ins allow. The caller stores it, and notifies them of the outcome once. */
export class Admitted {
  readonly #verdicts: Allowed[] = [];
  readonly #report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  add(verdict: Allowed): void {
    if (verdict.onSettled !== undefined || verdict.transaction !== undefined) this.#verdicts.push(verdict);
  }

  /** The objects to store in the same transaction. */
  get companions(): Companions | undefined {
    return this.#verdicts.find(({ transaction }) => transaction !== undefined)?.transaction?.companions;
  }

  /** Asks the plug-in with the companions for another verdict. Throws when it rejects. */
  async withoutCompanions(why: "declined" | "conflict", signal: AbortSignal): Promise<void> {
    const at = this.#verdicts.findIndex(({ transaction }) => transaction !== undefined);
    const [verdict] = this.#verdicts.splice(at, 1);
    const other = await verdict?.transaction?.orElse(why, signal);
    if (other?.allowed === false) throw new StatusError(other.status);
    if (other !== undefined) this.add(other);
  }

  settle(outcome: StorageOutcome): void {
    for (const { onSettled } of this.#verdicts.splice(0)) {
      try {
        onSettled?.(outcome);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
