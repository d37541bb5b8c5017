import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { ObjectKey } from "../../storage/object-key.ts";
import type { Write } from "../../storage/transaction.ts";
import { withManagedFields } from "../field-ownership.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import { prepareNewWithStatus, prepareUpdate } from "../kinds/prepare-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { toStoredForm } from "../kinds/served-version.ts";
import { requireLiveDefinition } from "../lifecycle/definition-lifecycle.ts";
import { requireLiveNamespace } from "../lifecycle/namespace-lifecycle.ts";
import { requirePlane } from "../lifecycle/plane-lifecycle.ts";
import { markedForDeletion } from "../metadata/deletion-mark.ts";
import { finalizersOf, withMetadata } from "../metadata/metadata.ts";
import { keyOf, type WriteRequest } from "../object-request.ts";
import type { Registry } from "../registry.ts";
import type { Companion } from "./companion.ts";
import { companionManager, newCompanionFields, statusCompanionFields } from "./companion-fields.ts";

/** A write, ready for the store. */
export interface CheckedWrite {
  readonly write: Write;
  /** Throws when the write must no longer happen; called in the turn of the event loop in which it is stored. */
  readonly lastCheck: () => void;
}

const system: UserInfo = { username: "system:apiserver", uid: "", groups: [], extra: {} };
const { signal } = new AbortController();
const nothing = (): void => undefined;

/** Throws a StatusError for an invalid object. */
export function prepareCompanion(registry: Registry, companion: Companion): CheckedWrite {
  switch (companion.change) {
    case "create":
      return createdCompanion(registry, companion);
    case "status":
      return { write: statusWrite(registry, companion), lastCheck: nothing };
    case "delete":
      return { write: deletion(registry, companion), lastCheck: nothing };
    default:
      throw new Error(`unknown change ${companion satisfies never}`);
  }
}

/** Combines a create and a status update. */
function createdCompanion(
  registry: Registry,
  { plane, kind, object }: Extract<Companion, { readonly change: "create" }>,
): CheckedWrite {
  const request = requestFor({ plane, namespace: object.metadata.namespace ?? "" }, kind);
  const key = keyOf(request, object.metadata.name as string);
  const nowMs = registry.clock.now();
  const created = { creationTimestamp: formatTime(nowMs), generation: kind.hasGeneration ? 1 : undefined };
  const shaped = prepareNewWithStatus(withMetadata(object, created), request);
  const whole = withMetadata(shaped, { managedFields: newCompanionFields(shaped, kind, nowMs) });
  const lastCheck = (): void => {
    requireLiveNamespace(registry.store, request, key.name);
    requireLiveDefinition(registry, request, key.name);
    requirePlane(registry, plane);
  };
  return { write: { key, expected: 0, object: toStoredForm(whole, kind), deleted: false }, lastCheck };
}

/** The next version of a stored object, with a new status. Throws a StatusError when that is invalid. */
export function statusWrite(
  registry: Pick<Registry, "clock">,
  { kind, stored, status }: Omit<Extract<Companion, { readonly change: "status" }>, "change">,
): Write {
  const request = requestFor(stored.key, kind);
  const old = stored.object as ApiObject;
  const nowMs = registry.clock.now();
  const write: WriteRequest = { ...request, subresource: "status" };
  const next = { ...(old as JsonObject), status } as unknown as ApiObject;
  const managedFields = statusCompanionFields(old, status, kind, nowMs);
  const owned =
    managedFields === undefined ? withManagedFields(old, next, write, nowMs) : withMetadata(next, { managedFields });
  const shaped = prepareUpdate(owned, old, write);
  return { key: stored.key, expected: stored.revision, object: toStoredForm(shaped, kind), deleted: false };
}

function deletion(
  { clock }: Registry,
  { kind, stored, finalizer }: Extract<Companion, { readonly change: "delete" }>,
): Write {
  const { key, revision: expected } = stored;
  const old = stored.object as ApiObject;
  const left = finalizersOf(old).filter((name) => name !== finalizer);
  const object = withMetadata(old, { finalizers: left.length === 0 ? undefined : left });
  if (left.length === 0) return { key, expected, object: toStoredForm(object, kind), deleted: true };
  const marked = markedForDeletion(object, true, clock.now()) ?? object;
  return { key, expected, object: toStoredForm(marked, kind), deleted: false };
}

function requestFor({ plane, namespace }: Pick<ObjectKey, "plane" | "namespace">, kind: ServedKind): WriteRequest {
  return {
    plane,
    kind,
    namespace,
    subresource: "",
    user: system,
    manager: companionManager,
    dryRun: false,
    fieldValidation: "Ignore",
    warn: nothing,
    signal,
  };
}
