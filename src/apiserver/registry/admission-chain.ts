import { StatusError } from "../../protocol/api-status.ts";
import type { AdmissionPlugin, AdmissionRequest, Outcome } from "./admission.ts";
import type { ApiObject } from "./served-kind.ts";

/** Tells all who admitted an object what became of it. */
export type Settle = (outcome: Outcome) => void;

const nobodyToTell: Settle = () => undefined;

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

  /**
   * Returns how to tell the plug-ins of the outcome, which has to be done exactly once. When one refuses, those before
   * it are told that nothing was stored.
   */
  async validate(request: AdmissionRequest, signal: AbortSignal): Promise<Settle> {
    let settle = nobodyToTell;
    try {
      for (const { validate } of this.#plugins) {
        if (validate === undefined) continue;
        const verdict = await validate(request, signal);
        if (!verdict.allowed) throw new StatusError(verdict.status);
        if (verdict.settled !== undefined) settle = this.#both(settle, verdict.settled);
      }
    } catch (error) {
      settle({ stored: false });
      throw error;
    }
    return settle;
  }

  #both(first: Settle, second: Settle): Settle {
    return (outcome) => {
      first(outcome);
      try {
        second(outcome);
      } catch (error) {
        this.#report(error);
      }
    };
  }
}
