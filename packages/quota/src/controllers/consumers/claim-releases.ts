import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import { type ReconcileResult, reconciled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { parseResourceClaim } from "../../core/resources/resource-claim.ts";
import { quotaApiVersion } from "../../core/resources/well-known.ts";
import { claimsType } from "../../views/quota-types.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { factsOf } from "../ownership/objects/object-reader.ts";
import { shouldReport } from "../status/conflicts.ts";
import { withTimeout } from "../with-timeout.ts";
import { addressId, type ConsumerClaim, ConsumerClaims } from "./consumer-claims.ts";
import { claimReleasedEvent, hasEnded, type LiveConsumer } from "./consumer-ending.ts";
import type { ConsumerAddress, ConsumerUids } from "./consumer-uids.ts";

export interface ClaimReleasesDeps {
  readonly runtime: Pick<Runtime, "planes" | "clock" | "random" | "report" | "queueObservers">;
  readonly views: Pick<Views, "claims">;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  readonly consumers: Pick<ConsumerUids, "uidOf" | "hasSynced" | "observe">;
  readonly events: Pick<EventRecorder, "record">;
}

/**
 * Deletes claims that were created by hand when their consumer is gone, so that a new consumer of the same name does not
 * start with the usage of the former one. Claims of objects stay: they end with their object.
 */
export class ClaimReleases implements Running {
  readonly #deps: ClaimReleasesDeps;
  readonly #claims: ConsumerClaims;
  readonly #queue: WorkQueue<ConsumerAddress>;
  readonly #unsubscribe: readonly (() => void)[];

  constructor(deps: ClaimReleasesDeps) {
    const { runtime, views, consumers } = deps;
    this.#deps = deps;
    this.#claims = new ConsumerClaims(runtime.planes);
    this.#queue = new WorkQueue({
      reconcile: (address, signal) => this.#reconcile(address, signal),
      idOf: addressId,
      laneOf: ({ key }) => key.plane,
      observer: runtime.queueObservers?.("consumers"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, address, failures) => {
        if (shouldReport(error, failures)) runtime.report(`claims of ${addressId(address)}`, error);
      },
    });
    this.#unsubscribe = [
      views.claims.subscribe({
        onAdd: (key, record) => this.#enqueue(this.#claims.put(key, record)),
        onUpdate: (key, before, record) => {
          this.#claims.drop(key, before);
          this.#enqueue(this.#claims.put(key, record));
        },
        onDelete: (key, record) => this.#claims.drop(key, record),
      }),
      consumers.observe({
        onChange: (address) => this.#enqueue(address),
        onSynced: (kind) => {
          for (const address of this.#claims.consumersOf(kind)) this.#enqueue(address);
        },
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#queue.stop();
  }

  #enqueue(address: ConsumerAddress | undefined): void {
    if (address !== undefined && this.#doubtful(address).length > 0) this.#queue.add(address);
  }

  /** Claims whose consumer has another UID in the cache, or none. */
  #doubtful(address: ConsumerAddress): readonly ConsumerClaim[] {
    const { consumers } = this.#deps;
    if (!consumers.hasSynced(address.kind)) return [];
    return this.#claims
      .of(address)
      .filter(({ key, consumer, consumerUid }) => consumers.uidOf(key.plane, consumer) !== consumerUid);
  }

  async #reconcile(address: ConsumerAddress, signal: AbortSignal): Promise<ReconcileResult> {
    const doubtful = this.#doubtful(address);
    if (doubtful.length === 0) return reconciled;
    const live = await withTimeout(this.#deps.runtime.clock, signal, (limit) => this.#read(address, limit));
    if (live === undefined) return reconciled;
    for (const claim of doubtful) await this.#release(claim, live, signal);
    return reconciled;
  }

  /** Undefined when nothing is known: a kind that is not served may be served again. */
  async #read({ kind, key }: ConsumerAddress, signal: AbortSignal): Promise<LiveConsumer | undefined> {
    const { runtime, restMapper } = this.#deps;
    const type = await restMapper.resourceFor(key.plane, kind);
    if (type === undefined || (type.scope === "Cluster") !== (key.namespace === "")) return undefined;
    const { namespace, name } = key;
    const ref = { name, ...(namespace === "" ? {} : { namespace }) };
    try {
      const found = await runtime.planes.client(key.plane).resource(type, anyObject).find(ref, signal);
      if (found === undefined) return { state: "gone" };
      const { uid, created } = factsOf(found);
      return { state: "exists", uid, created };
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) restMapper.invalidate(key.plane);
      throw error;
    }
  }

  async #release({ key, uid, consumer }: ConsumerClaim, live: LiveConsumer, signal: AbortSignal): Promise<void> {
    const { runtime, events } = this.#deps;
    const client = runtime.planes.client(key.plane).resource(claimsType, parseResourceClaim);
    const isDeleted = await withTimeout(runtime.clock, signal, async (limit) => {
      const claim = await client.find(key, limit);
      if (claim?.metadata.uid !== uid || !hasEnded(claim, live)) return false;
      const { resourceVersion = "" } = claim.metadata;
      await client.delete(key, { uid, resourceVersion, propagation: "Background" }, limit);
      return true;
    });
    if (!isDeleted) return;
    const { namespace, name } = key;
    const subject = { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
    events.record(key.plane, subject, claimReleasedEvent(consumer, live));
  }
}
