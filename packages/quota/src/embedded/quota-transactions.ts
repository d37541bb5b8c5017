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
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimTransactions, NewClaim, QuotaEffect } from "../admission/claims/claim-transactions.ts";
import type { LeaderTransactions } from "../controllers/leader-transactions.ts";
import type { ObjectAddress } from "../controllers/ownership/objects/governed-object.ts";
import { partOf } from "../controllers/ownership/objects/object-needs.ts";
import type { StoredClaims } from "../controllers/ownership/objects/object-releases.ts";
import { shrunkStatus } from "../controllers/writer/claims/claim-status.ts";
import type { NextPage } from "../controllers/writer/pages/page-store.ts";
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

/** A ticket of the store, for one of the bucket writer. */
interface StoreTicket extends Ticket {
  readonly quota: QuotaTicket;
}

const claims = `${resourceClaimDefinition.plural}.${quotaGroup}`;
const buckets = `${allowanceBucketDefinition.plural}.${quotaGroup}`;

const nothing = (): void => undefined;

/** Where the bucket writer and the store meet: quota is stored in one transaction with the objects it is for. */
export class QuotaTransactions implements ClaimTransactions, BatchRenderer, StoredClaims {
  readonly #options: QuotaTransactionsOptions;

  constructor(options: QuotaTransactionsOptions) {
    this.#options = options;
  }

  try({ change, granted, manifests, reduced }: QuotaEffect): Companions | undefined {
    const { leader } = this.#options;
    if (granted.some((claim) => this.#isNameTaken(claim))) return undefined;
    const { plane, kind, namespace, name } = change;
    const address = { kind: { apiGroup: kind.group, kind: kind.kind }, place: { plane, namespace, name } };
    const needs = reduced.map(({ policy, needed }) => {
      return { policy, needed: needed && { consumer: needed.consumer, parts: needed.requests.map(partOf) } };
    });
    const released = needs.length === 0 ? [] : leader.onChange(address, uidOf(change.object), needs, this);
    if (granted.length + released.length === 0) return undefined;
    const ticket = leader.try(granted, this.#notKept(released));
    if (ticket === undefined) return undefined;
    const created = manifests(ticket.statuses).map((claim, at) => this.#creation(granted[at] as NewClaim, claim));
    return this.#companions(
      [...released.map((claim) => this.#release(claim)), ...created],
      ticket,
      granted.length === 0,
    );
  }

  /** What goes with an object that leaves the store. In a plane that is being closed everything goes anyway. */
  removing({ key, object }: StoredObject): Companions | undefined {
    const { leader, registry } = this.#options;
    const { group } = parseApiVersion(object.apiVersion);
    if (group === quotaGroup) return undefined;
    const { plane, namespace, name } = key;
    const address: ObjectAddress = { kind: { apiGroup: group, kind: object.kind }, place: { plane, namespace, name } };
    const all = leader.onRemoval(address, object.metadata.uid ?? "", this);
    const isClosing = registry.isClosing?.(plane) === true;
    const going = all.filter(({ place }) => !isClosing || place.plane !== plane);
    if (going.length === 0) return undefined;
    const ticket = leader.try([], this.#notKept(going));
    if (ticket === undefined) return undefined;
    return this.#companions(
      going.map((claim) => this.#release(claim)),
      ticket,
      true,
    );
  }

  versionAt(place: ObjectPlace): string | undefined {
    return this.#options.registry.store.get(keyOf(claims, place))?.revision.toString();
  }

  /** Undefined also for a claim that cannot be read: nobody counts that. */
  at(place: ObjectPlace): ResourceClaim | undefined {
    const stored = this.#options.registry.store.get(keyOf(claims, place));
    const claim = stored && parseResourceClaim(stored.object);
    return claim?.ok === true ? claim.value : undefined;
  }

  render(tickets: readonly Ticket[], isCurrent: (key: ObjectKey, revision: number) => boolean): RenderedBatch {
    const { leader, report } = this.#options;
    const own = tickets as readonly StoreTicket[];
    try {
      const rendered = leader.render(
        own.map(({ quota }) => quota),
        (place, version) => isCurrent(keyOf(buckets, place), Number(version)),
      );
      return this.#batchOf(own, rendered);
    } catch (error) {
      // Nobody else is to fail for a bucket that cannot be written: all take the ordinary way, which tells whoever it is about.
      report("buckets of a transaction", error);
      return { writes: [], leftOut: new Map(own.map((ticket) => [ticket, { outcome: "declined" }])), ended: nothing };
    }
  }

  #batchOf(own: readonly StoreTicket[], rendered: RenderedBuckets): RenderedBatch {
    const leftOut = own.flatMap((ticket) => {
      const why = rendered.leftOut.get(ticket.quota);
      return why === undefined ? [] : [[ticket, why] as const];
    });
    const ended = (end: BatchEnd): void => this.#ended(rendered, end);
    try {
      return { writes: rendered.pages.map((page) => this.#pageWrite(page)), leftOut: new Map(leftOut), ended };
    } catch (error) {
      ended({ outcome: "rolled back" });
      throw error;
    }
  }

  /** The batch has ended already: a mistake of ours must not keep anybody else from hearing of it. */
  #ended(rendered: RenderedBuckets, end: BatchEnd): void {
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

  /** Undefined when the claim is another by now, or what it holds cannot be read. */
  #release({ place, uid, left }: ReleasedClaim): Companion | undefined {
    const stored = this.#options.registry.store.get(keyOf(claims, place));
    const kind = this.#kindOf(claims, place.plane);
    if (stored === undefined || stored.object.metadata.uid !== uid || kind === undefined) return undefined;
    if (left === undefined) return { change: "delete", kind, stored, finalizer: claimFinalizer };
    const claim = parseResourceClaim(stored.object);
    const status = claim.ok ? shrunkStatus(claim.value, left) : undefined;
    return status && { change: "status", kind, stored, status: status as JsonObject };
  }

  /** A claim that others keep is marked, and goes on counting until they let it go. */
  #notKept(released: readonly ReleasedClaim[]): readonly ReleasedClaim[] {
    return released.filter(({ place, left }) => {
      const { finalizers = [] } = this.#options.registry.store.get(keyOf(claims, place))?.object.metadata ?? {};
      return left !== undefined || finalizers.every((name) => name === claimFinalizer);
    });
  }

  #pageWrite({ place, status }: NextPage): Write {
    const { registry } = this.#options;
    const stored = registry.store.get(keyOf(buckets, place));
    const kind = this.#kindOf(buckets, place.plane);
    if (stored === undefined || kind === undefined) throw new Error(`bucket ${place.name} is not there any more`);
    return statusWrite(registry, { kind, stored, status });
  }

  #isNameTaken({ plane, claim: { namespace, name } }: NewClaim): boolean {
    return this.#options.registry.store.get(keyOf(claims, { plane, namespace, name })) !== undefined;
  }

  #kindOf(resource: string, plane: string): ServedKind | undefined {
    return this.#options.kinds.inPlane(plane).stored(resource);
  }
}

function keyOf(resource: string, { plane, namespace, name }: ObjectPlace): ObjectKey {
  return { plane, resource, namespace, name };
}

function uidOf(object: JsonObject): string {
  return (object as unknown as ApiObject).metadata.uid ?? "";
}
