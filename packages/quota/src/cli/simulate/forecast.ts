import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { deniedAnswer } from "../../core/ledger/answer.ts";
import { ConsumerLedger } from "../../core/ledger/consumer-ledger.ts";
import type { OpenClaim } from "../../core/ledger/ledger-bucket.ts";
import { settle } from "../../core/ledger/settle.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { type ConsumerRef, consumerKey, consumerText } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName } from "../../core/resources/object-names.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { QuotaObjects } from "../cluster/quota-objects.ts";
import { isSeenWhole } from "../cluster/tenant-addresses.ts";
import { booksOf, readCounted } from "../recount/consumer-books.ts";
import { driftsOf } from "../recount/page-drift.ts";
import type { Units } from "../units.ts";

/** A quota counts what is not seen from here. */
export class SeenInPart extends Error {
  override readonly name = "SeenInPart";
}

/**
 * Decides claims one after the other, as the quota system would, each beside those before it. Everything is counted from
 * grants and claims that were read once; nothing is written.
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

  /** Why the claims of one object do not all fit; empty when they do, and they count from then on. */
  async shortages(claims: readonly RenderedClaim[], beside: KubeClient): Promise<readonly string[]> {
    const tried = await Promise.all(claims.map((claim) => this.#opened(claim, beside)));
    const results = tried.map(({ ledger, open, claim }) => {
      const [decision] = settle(ledger, [open], () => open.claim.uid);
      return decision?.outcome === "deny" ? this.#text(claim, decision.short) : undefined;
    });
    const short = results.filter((text) => text !== undefined);
    for (const { ledger, open } of tried) {
      const { uid } = open.claim;
      ledger.learn(uid, short.length === 0 ? { state: "granted", parts: open.parts } : { state: "gone" });
    }
    return short;
  }

  async #opened(claim: RenderedClaim, beside: KubeClient) {
    const ledger = await this.#ledgerOf(claim.consumer, this.#cluster.planeOf(claim.consumer, beside));
    this.#serial += 1;
    const parts = claim.requests.map(({ resourceType, amount, dimensions }) => ({
      resourceType,
      amount,
      dimensionKey: dimensionKey(dimensions),
    }));
    const { namespace, name } = claim;
    const open: OpenClaim = { claim: { namespace, name, uid: `forecast-${this.#serial}` }, parts, standing: "waiting" };
    return { ledger, open, claim };
  }

  #text(claim: RenderedClaim, short: Parameters<typeof deniedAnswer>[1]): string {
    const answer = deniedAnswer(claim.requests, short, {
      unitOf: (type) => this.#units.unitOf(type) ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n },
      bucketOf: (type) => bucketName(claim.consumer, type),
    });
    return `${consumerText(claim.consumer)}: ${answer.condition.message}`;
  }

  #ledgerOf(consumer: ConsumerRef, plane: KubeClient): Promise<ConsumerLedger> {
    const key = `${plane.plane.plane}\n${consumerKey(consumer)}`;
    const known = this.#ledgers.get(key) ?? this.#read(consumer, plane);
    this.#ledgers.set(key, known);
    return known;
  }

  async #read(consumer: ConsumerRef, plane: KubeClient): Promise<ConsumerLedger> {
    const objects = new QuotaObjects(plane, this.#cluster.note, this.#signal);
    const found = await readCounted(objects, { fieldSelector: `spec.consumerRef.name=${consumer.name}` });
    const books = booksOf(found, this.#units, this.#cluster.clock.now());
    const own = books.find((book) => consumerKey(book.consumer) === consumerKey(consumer));
    if (own !== undefined && !isSeenWhole(plane.plane) && driftsOf(own).length > 0) {
      throw new SeenInPart(`an organization does not see all that counts for ${consumerText(consumer)}`);
    }
    return own?.ledger ?? new ConsumerLedger();
  }
}
