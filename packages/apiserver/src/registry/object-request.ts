import type { GroupResource } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { ObjectKey, Scope } from "../storage/object-key.ts";
import type { KindView } from "./kinds/kind-view.ts";
import type { ServedKind } from "./kinds/served-kind.ts";

/** What is the same for every request about objects of one kind, however it came in. */
export interface ObjectRequest {
  readonly plane: string;
  /** Reads the objects of all planes; `plane` is then the one whose kind they are shown by. */
  readonly allPlanes?: boolean | undefined;
  readonly kind: ServedKind;
  /** Empty for kinds of cluster scope, and for all namespaces. */
  readonly namespace: string;
  /** What of the kind is in view of this request; left out: everything. */
  readonly within?: KindView | undefined;
  readonly user: UserInfo;
  /** Whether the kind is still served by the same schema; definitions change while requests are on their way. */
  readonly isServed?: () => boolean;
  /** Tells the client something about a request that goes through. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

export type Subresource = "" | "status" | "finalize" | "scale";

/** A request that changes something. */
export interface WriteRequest extends ObjectRequest {
  readonly subresource: Subresource;
  /** Whose fields these are from now on. */
  readonly manager: string;
  /** Everything but the write itself. */
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Asked before an update or an apply makes an object: rejects when the user may not create one. */
  readonly mayCreate?: () => Promise<void>;
}

/** What is done about fields that no schema knows, and about keys given twice. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

export function resourceOf({ kind }: Pick<ObjectRequest, "kind">): GroupResource {
  return { group: kind.group, resource: kind.plural };
}

/** The name a resource is stored under. Versions share one; so do kinds that are two views of the same objects. */
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
  /** The old way to say whether dependents stay. */
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
}
