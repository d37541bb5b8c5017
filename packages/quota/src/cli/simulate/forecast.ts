import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { ConsumerLedger } from "../../core/ledger/consumer-ledger.ts";
import { deniedStatus } from "../../core/ledger/decision-status.ts";
import type { OpenClaim } from "../../core/ledger/ledger-bucket.ts";
import { settle } from "../../core/ledger/settle.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { type ConsumerRef, consumerKey, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { isFullView } from "../cluster/tenant-addresses.ts";
import { driftsOf } from "../recount/bucket-drift.ts";
import { readLedgerObjects, recountConsumers } from "../recount/recounted-consumers.ts";
import type { Units } from "../units.ts";

/** The user cannot see all grants and claims of a quota. */
export class PartialViewError extends Error {
  override readonly name = "PartialViewError";
}

/**
 * Decides claims one after another, as the quota system would, each with those before it already allocated. Works on
 * grants and claims that are read once; writes nothing.
 */
export class Forecast {
  readonly #cluster: Cluster;
  readonly #units: Units;
  readonly #ledgers = new Map<string, Promise<ConsumerLedger>>();
  readonly #signal: AbortSignal;
  #serial = 0;

  constructor(cluster: Cluster, units: Units, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#units = units;
    this.#signal = signal;
  }

  /** The denials of one object's claims. If there are none, the claims count as allocated from then on. */
  async shortages(claims: readonly RenderedClaim[], objectPlane: KubeClient): Promise<readonly string[]> {
    const attempts = await Promise.all(claims.map((claim) => this.#openClaim(claim, objectPlane)));
    const results = attempts.map(({ ledger, open, claim }) => {
      const [decision] = settle(ledger, [open], () => open.claim.uid);
      return decision?.outcome === "deny" ? this.#text(claim, decision.short) : undefined;
    });
    const denials = results.filter((text) => text !== undefined);
    for (const { ledger, open } of attempts) {
      const { uid } = open.claim;
      ledger.learn(uid, denials.length === 0 ? { state: "granted", parts: open.parts } : { state: "gone" });
    }
    return denials;
  }

  async #openClaim(claim: RenderedClaim, objectPlane: KubeClient) {
    const ledger = await this.#ledgerOf(claim.consumer, this.#cluster.planeOf(claim.consumer, objectPlane));
    this.#serial += 1;
    const parts = claim.requests.map(({ resourceType, amount, dimensions }) => ({
      resourceType,
      amount,
      dimensionKey: dimensionKey(dimensions),
    }));
    const { namespace, name } = claim;
    const open: OpenClaim = { claim: { namespace, name, uid: `forecast-${this.#serial}` }, parts, forced: false };
    return { ledger, open, claim };
  }

  #text(claim: RenderedClaim, short: Parameters<typeof deniedStatus>[1]): string {
    const answer = deniedStatus(claim.requests, short, {
      unitOf: (type) => this.#units.unitOf(type) ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n },
      bucketOf: (type) => bucketName(claim.consumer, type),
    });
    return `${consumerText(claim.consumer)}: ${answer.condition.message}`;
  }

  #ledgerOf(consumer: ConsumerRef, plane: KubeClient): Promise<ConsumerLedger> {
    const key = `${plane.plane.plane}\n${consumerKey(consumer)}`;
    const ledger = this.#ledgers.get(key) ?? this.#read(consumer, plane);
    this.#ledgers.set(key, ledger);
    return ledger;
  }

  async #read(consumer: ConsumerRef, plane: KubeClient): Promise<ConsumerLedger> {
    const objects = new QuotaObjects(plane, this.#cluster.printErr, this.#signal);
    const found = await readLedgerObjects(objects, { fieldSelector: `spec.consumerRef.name=${consumer.name}` });
    const recounted = recountConsumers(found, this.#units, this.#cluster.clock.now());
    const own = recounted.find((each) => consumerKey(each.consumer) === consumerKey(consumer));
    if (own !== undefined && !isFullView(plane.plane) && driftsOf(own).length > 0) {
      throw new PartialViewError(
        `not all grants and claims of ${consumerText(consumer)} are visible to the organization`,
      );
    }
    return own?.ledger ?? new ConsumerLedger();
  }
}
