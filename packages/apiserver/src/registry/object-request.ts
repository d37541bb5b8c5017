import type { GroupResource } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { ObjectKey, Scope } from "../storage/object-key.ts";
import type { KindView } from "./kinds/kind-view.ts";
import type { ServedKind } from "./kinds/served-kind.ts";

/** What all requests about objects of a kind have in common. */
export interface ObjectRequest {
  readonly plane: string;
  /** Reads the objects of all planes; `plane` is then the one whose kind renders them. */
  readonly allPlanes?: boolean | undefined;
  readonly kind: ServedKind;
  /** Empty for cluster-scoped kinds, and for all namespaces. */
  readonly namespace: string;
  /** The part of the kind that this request may access; left out: everything. */
  readonly within?: KindView | undefined;
  readonly user: UserInfo;
  /** Whether the kind is still served with the same schema; definitions may change while a request is in flight. */
  readonly isServed?: () => boolean;
  /** Adds a warning to the response. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

export type Subresource = "" | "status" | "finalize" | "scale";

/** A request that writes. */
export interface WriteRequest extends ObjectRequest {
  readonly subresource: Subresource;
  /** The field manager. */
  readonly manager: string;
  /** Everything but the write itself. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Called before an update or an apply creates an object: rejects when the user may not create one. */
  readonly mayCreate?: () => Promise<void>;
}

/** How unknown fields and duplicate keys are handled. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export function resourceOf({ kind }: Pick<ObjectRequest, "kind">): GroupResource {
  return { group: kind.group, resource: kind.plural };
}

/**
 * The resource under which objects are stored. Versions share it; so do kinds that are two views of the same objects.
 */
export function storedResource({ group, plural, storedAs }: Pick<ServedKind, "group" | "plural" | "storedAs">): string {
  return storedAs ?? (group === "" ? plural : `${plural}.${group}`);
}

export function keyOf({ plane, kind, namespace }: ObjectRequest, name: string): ObjectKey {
  return { plane, resource: storedResource(kind), namespace, name };
}

export function scopeOf({ plane, allPlanes, kind, namespace: asked, within }: ObjectRequest): Scope {
  const namespace = asked === "" ? (within?.namespace ?? "") : asked;
  return {
    ...(allPlanes === true ? {} : { plane }),
    resource: storedResource(kind),
    ...(namespace === "" ? {} : { namespace }),
  };
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: string;
  /** The deprecated form of a propagation policy. */
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
}
