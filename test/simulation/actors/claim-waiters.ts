import { claimsType } from "../../../src/controllers/quota-types.ts";
import { Informer, type ObjectPlace } from "../../../src/kube/watch/informer.ts";
import { sourceOf } from "../../../src/kube/watch/object-source.ts";
import type { Parsed } from "../../../src/protocol/field-issue.ts";
import type { JsonObject, JsonValue } from "../../../src/protocol/json-value.ts";
import { readTrueClaim, type TrueClaim } from "../invariants/true-claim.ts";
import type { Host } from "../world/world.ts";
import { clientOf } from "./clients.ts";

export type WaitOutcome = "granted" | "denied" | "gone" | "timeout";

/** A claim that somebody waits for. */
export interface Awaited {
  readonly place: ObjectPlace;
  readonly uid: string;
  /** Of the object that must be on its list. */
  readonly candidate: string;
}

/** Follows all claims on one stream, and tells those who wait for one what became of it. */
export class ClaimWaiters {
  readonly #host: Host;
  readonly #informer: Informer<JsonObject, TrueClaim>;
  readonly #looks = new Set<() => void>();

  constructor(host: Host) {
    this.#host = host;
    this.#informer = new Informer<JsonObject, TrueClaim>({
      source: sourceOf(clientOf(host, "root", claimsType), host.transport, { reach: "all-planes" }),
      parse: (value: JsonValue): Parsed<JsonObject> => ({ ok: true, value: value as JsonObject }),
      keep: (object, plane) => readTrueClaim({ plane, resource: "", namespace: "", name: "" }, object),
      clock: host.clock,
      random: host.random,
      report: (error) => host.report("waiters", error),
    });
    const look = (): void => {
      for (const each of this.#looks) each();
    };
    this.#informer.subscribe({ added: look, changed: look, removed: look });
    this.#informer.start();
  }

  get isReady(): boolean {
    return this.#informer.isReady;
  }

  /** Resolves when the claim is decided and lists the candidate, when it is gone, or when the time is up. */
  wait(awaited: Awaited, timeoutMs: number): Promise<WaitOutcome> {
    return new Promise((resolve) => {
      let wasSeen = false;
      const end = (outcome: WaitOutcome): void => {
        this.#looks.delete(look);
        timer.stop();
        resolve(outcome);
      };
      const look = (): void => {
        const claim = this.#informer.get(awaited.place);
        const isThis = claim?.uid === awaited.uid;
        if (wasSeen && !isThis) end("gone");
        if (isThis) wasSeen = true;
        if (isThis && claim.state === "denied") end("denied");
        const lists = claim?.automatic?.candidates.includes(awaited.candidate) === true;
        if (isThis && claim.state === "granted" && lists) end("granted");
      };
      const timer = this.#host.clock.after(timeoutMs, () => end("timeout"));
      this.#looks.add(look);
      look();
    });
  }
}
