import type { Companion, Companions } from "@milo-quota/apiserver/registry/admission/companion.ts";
import { statusWrite } from "@milo-quota/apiserver/registry/admission/companions.ts";
import type { ApiObject } from "@milo-quota/apiserver/registry/kinds/api-object.ts";
import type { KindCatalog } from "@milo-quota/apiserver/registry/kinds/kind-catalog.ts";
import type { ServedKind } from "@milo-quota/apiserver/registry/kinds/served-kind.ts";
import type { Registry } from "@milo-quota/apiserver/registry/registry.ts";
import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { StoredObject } from "@milo-quota/apiserver/storage/stored-object.ts";
import type {
  BatchEnd,
  BatchRenderer,
  RenderedBatch,
  Ticket,
  Write,
} from "@milo-quota/apiserver/storage/transaction.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimTransactions, NewClaim, QuotaEffect } from "../admission/claims/claim-transactions.ts";
import type { LeaderTransactions } from "../controllers/leader-transactions.ts";
import type { ObjectAddress } from "../controllers/ownership/objects/object-address.ts";
import { partOf } from "../controllers/ownership/objects/object-needs.ts";
import type { StoredClaims } from "../controllers/ownership/objects/object-releases.ts";
import type { NextBucket } from "../controllers/writer/buckets/bucket-store.ts";
import type { RenderedBuckets } from "../controllers/writer/transactions/bucket-batch.ts";
import type { QuotaTicket, ReleasedClaim } from "../controllers/writer/transactions/ticket.ts";
import { allowanceBucketDefinition } from "../core/resources/allowance-bucket.ts";
import { parseResourceClaim, type ResourceClaim, resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { claimFinalizer, quotaGroup } from "../core/resources/well-known.ts";

export interface QuotaTransactionsOptions {
  readonly registry: Registry;
  readonly kinds: KindCatalog;
  readonly leader: LeaderTransactions;
  readonly report: (where: string, error: unknown) => void;
}

/** A ticket of the store that carries one of the bucket writer. */
interface StoreTicket extends Ticket {
  readonly quota: QuotaTicket;
}

const claims = `${resourceClaimDefinition.plural}.${quotaGroup}`;
const buckets = `${allowanceBucketDefinition.plural}.${quotaGroup}`;

const ignore = (): void => undefined;

/** Connects the bucket writer to the store, so that claims and buckets are stored in one transaction with objects. */
export class QuotaTransactions implements ClaimTransactions, BatchRenderer, StoredClaims {
  readonly #options: QuotaTransactionsOptions;

  constructor(options: QuotaTransactionsOptions) {
    this.#options = options;
  }

  prepare({ change, granted, manifests, reduced }: QuotaEffect): Companions | undefined {
    const { leader } = this.#options;
    if (granted.some((claim) => this.#isNameTaken(claim))) return undefined;
    const { plane, kind, namespace, name } = change;
    const address = { kind: { apiGroup: kind.group, kind: kind.kind }, key: { plane, namespace, name } };
    const needs = reduced.map(({ policy, needed }) => {
      return { policy, needed: needed && { consumer: needed.consumer, parts: needed.requests.map(partOf) } };
    });
    const released = needs.length === 0 ? [] : leader.onChange(address, uidOf(change.object), needs, this);
    if (granted.length + released.length === 0) return undefined;
    const ticket = leader.prepare(granted, this.#withoutForeignFinalizers(released));
    if (ticket === undefined) return undefined;
    const created = manifests(ticket.statuses).map((claim, at) => this.#creation(granted[at] as NewClaim, claim));
    return this.#companions(
      [...released.map((claim) => this.#release(claim)), ...created],
      ticket,
      granted.length === 0,
    );
  }

  /** The claims to delete in one transaction with an object. None in a plane that is being closed: its claims go anyway. */
  companionsOfRemoval({ key, object }: StoredObject): Companions | undefined {
    const { leader, registry } = this.#options;
    const { group } = parseApiVersion(object.apiVersion);
    if (group === quotaGroup) return undefined;
    const { plane, namespace, name } = key;
    const address: ObjectAddress = { kind: { apiGroup: group, kind: object.kind }, key: { plane, namespace, name } };
    const all = leader.onRemoval(address, object.metadata.uid ?? "", this);
    const isClosing = registry.isClosing?.(plane) === true;
    const released = all.filter((claim) => !isClosing || claim.key.plane !== plane);
    if (released.length === 0) return undefined;
    const ticket = leader.prepare([], this.#withoutForeignFinalizers(released));
    if (ticket === undefined) return undefined;
    return this.#companions(
      released.map((claim) => this.#release(claim)),
      ticket,
      true,
    );
  }

  versionOf(key: PlaneObjectKey): string | undefined {
    return this.#options.registry.store.get(keyOf(claims, key))?.revision.toString();
  }

  /** Undefined also for a claim that cannot be parsed, because the ledger does not count it. */
  get(key: PlaneObjectKey): ResourceClaim | undefined {
    const stored = this.#options.registry.store.get(keyOf(claims, key));
    const claim = stored && parseResourceClaim(stored.object);
    return claim?.ok === true ? claim.value : undefined;
  }

  render(tickets: readonly Ticket[], isCurrent: (key: ObjectKey, revision: number) => boolean): RenderedBatch {
    const { leader, report } = this.#options;
    const own = tickets as readonly StoreTicket[];
    try {
      const rendered = leader.render(
        own.map(({ quota }) => quota),
        (key, version) => isCurrent(keyOf(buckets, key), Number(version)),
      );
      return this.#batchOf(own, rendered);
    } catch (error) {
      // One bucket that cannot be rendered must not fail other requests of the batch: all of them are declined, and their
      // claims are then decided before their objects are stored, where only the affected consumer sees the error.
      report("buckets of a transaction", error);
      return { writes: [], excluded: new Map(own.map((ticket) => [ticket, { outcome: "declined" }])), onEnded: ignore };
    }
  }

  #batchOf(own: readonly StoreTicket[], rendered: RenderedBuckets): RenderedBatch {
    const excluded = own.flatMap((ticket) => {
      const why = rendered.leftOut.get(ticket.quota);
      return why === undefined ? [] : [[ticket, why] as const];
    });
    const onEnded = (end: BatchEnd): void => this.#onEnded(rendered, end);
    try {
      return {
        writes: rendered.buckets.map((bucket) => this.#bucketWrite(bucket)),
        excluded: new Map(excluded),
        onEnded,
      };
    } catch (error) {
      onEnded({ outcome: "rolled back" });
      throw error;
    }
  }

  /** The batch has ended already, so an error here must not propagate to the store and its other observers. */
  #onEnded(rendered: RenderedBuckets, end: BatchEnd): void {
    try {
      if (end.outcome === "stored") rendered.stored(end.stored.map(({ revision }) => String(revision)));
      else if (end.outcome === "rolled back") rendered.rolledBack();
      else rendered.unknown();
    } catch (error) {
      this.#options.report("buckets of a transaction", error);
    }
  }

  #companions(
    objects: readonly (Companion | undefined)[],
    quota: QuotaTicket,
    isRelease: boolean,
  ): Companions | undefined {
    if (!objects.every((each) => each !== undefined)) return undefined;
    const ticket: StoreTicket = { renderer: this, quota };
    return { objects, ticket, isRelease };
  }

  #creation({ plane }: NewClaim, object: JsonObject): Companion | undefined {
    const kind = this.#kindOf(claims, plane);
    return kind && { change: "create", plane, kind, object: object as unknown as ApiObject };
  }

  /** Undefined when the claim was replaced, or its status cannot be parsed. */
  #release({ key, uid, left }: ReleasedClaim): Companion | undefined {
    const stored = this.#options.registry.store.get(keyOf(claims, key));
    const kind = this.#kindOf(claims, key.plane);
    if (stored === undefined || stored.object.metadata.uid !== uid || kind === undefined) return undefined;
    if (left === undefined) return { change: "delete", kind, stored, finalizer: claimFinalizer };
    const claim = parseResourceClaim(stored.object);
    const status = claim.ok ? this.#options.leader.shrunkStatus(claim.value, left) : undefined;
    return status && { change: "status", kind, stored, status: status as JsonObject };
  }

  /** A claim with finalizers of other controllers only becomes terminating, and counts until they are removed. */
  #withoutForeignFinalizers(released: readonly ReleasedClaim[]): readonly ReleasedClaim[] {
    return released.filter(({ key, left }) => {
      const { finalizers = [] } = this.#options.registry.store.get(keyOf(claims, key))?.object.metadata ?? {};
      return left !== undefined || finalizers.every((name) => name === claimFinalizer);
    });
  }

  #bucketWrite({ objectKey, status }: NextBucket): Write {
    const { registry } = this.#options;
    const stored = registry.store.get(keyOf(buckets, objectKey));
    const kind = this.#kindOf(buckets, objectKey.plane);
    if (stored === undefined || kind === undefined) throw new Error(`bucket ${objectKey.name} no longer exists`);
    return statusWrite(registry, { kind, stored, status });
  }

  #isNameTaken({ plane, claim: { namespace, name } }: NewClaim): boolean {
    return this.#options.registry.store.get(keyOf(claims, { plane, namespace, name })) !== undefined;
  }

  #kindOf(resource: string, plane: string): ServedKind | undefined {
    return this.#options.kinds.inPlane(plane).stored(resource);
  }
}

function keyOf(resource: string, { plane, namespace, name }: PlaneObjectKey): ObjectKey {
  return { plane, resource, namespace, name };
}

function uidOf(object: JsonObject): string {
  return (object as unknown as ApiObject).metadata.uid ?? "";
}
