import {
  type ApiStatus,
  conflict,
  invalidObject,
  resourceNotFound,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type FieldIssue, invalid, notSupported } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { jsonEquals } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { foregroundFinalizer, orphanFinalizer } from "@milo-quota/kubernetes/protocol/metadata/finalizer-rules.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { deleteRequest } from "./admission/admission-requests.ts";
import { dryRunResult } from "./dry-run-result.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { requireDeletableNamespace } from "./lifecycle/namespace-lifecycle.ts";
import { markedForDeletion } from "./metadata/deletion-mark.ts";
import { finalizersOf, withMetadata } from "./metadata/metadata.ts";
import { type DeleteOptions, keyOf, resourceOf, type WriteRequest } from "./object-request.ts";
import type { Registry } from "./registry.ts";
import { requireWritable, storedInView } from "./scoped-view.ts";
import { removeStored } from "./store-change.ts";

export type Deleted =
  | { readonly gone: true; readonly last: StoredObject }
  /** Finalizers keep it; it is removed with the last of them. */
  | { readonly gone: false; readonly stored: StoredObject };

const policies = ["Foreground", "Background", "Orphan"];

/** Deletes an object, or marks it for deletion if it has finalizers. */
export async function deleteObject(
  registry: Registry,
  request: WriteRequest,
  name: string,
  options: DeleteOptions,
): Promise<Deleted> {
  checkOptions(options);
  requireDeletableNamespace(request, name);
  requireWritable(request, name);
  const key = keyOf(request, name);
  for (;;) {
    request.signal.throwIfAborted();
    await registry.store.writesSettled(key);
    const current = storedInView(registry, request, name);
    if (current === undefined) throw new StatusError(resourceNotFound(resourceOf(request), name));
    checkPreconditions(current.object as ApiObject, request, options);
    const deleted = await deleteVersion(registry, request, current, options);
    if (deleted !== undefined) return deleted;
  }
}

/** Undefined on a conflict. */
async function deleteVersion(
  registry: Registry,
  request: WriteRequest,
  current: StoredObject,
  options: DeleteOptions,
): Promise<Deleted | undefined> {
  const old = current.object as ApiObject;
  const admitted = await registry.admission.validate(deleteRequest(request, old, options), request.signal);
  admitted.settle({ stored: false });
  request.signal.throwIfAborted();
  const { prepareDelete } = request.kind.rules;
  if (prepareDelete !== undefined && old.metadata.deletionTimestamp === undefined) {
    return writeMarked(registry, request, current, prepareDelete(old, formatTime(registry.clock.now())));
  }
  const object = withMetadata(old, { finalizers: finalizersFor(old, options) });
  if (!isHeld(object)) {
    const last = lastState(old, request, registry.clock.now());
    if (request.dryRun) return { gone: true, last: last === old ? current : dryRunResult(current.key, last) };
    const result = await removeStored(registry, current, last);
    return result.ok ? { gone: true, last: result.stored } : undefined;
  }
  // A second delete may change the propagation policy.
  const isChanged = !jsonEquals([...finalizersOf(old)].sort(), [...finalizersOf(object)].sort());
  const marked = markedForDeletion(object, isChanged, registry.clock.now());
  if (marked === undefined) return { gone: false, stored: current };
  return writeMarked(registry, request, current, marked);
}

/** Deleted pods show a grace period, even of zero. */
function lastState(object: ApiObject, { kind }: WriteRequest, nowMs: number): ApiObject {
  const isPod = kind.group === "" && kind.kind === "Pod";
  return (isPod ? markedForDeletion(object, false, nowMs) : undefined) ?? object;
}

async function writeMarked(
  { store }: Registry,
  { dryRun }: WriteRequest,
  { key, revision }: StoredObject,
  marked: ApiObject,
): Promise<Deleted | undefined> {
  if (dryRun) return { gone: false, stored: dryRunResult(key, marked) };
  const result = await store.put(key, revision, marked);
  return result.ok ? { gone: false, stored: result.stored } : undefined;
}

/** The response to a completed delete. */
export function deletedStatus({ kind }: WriteRequest, last: ApiObject): Record<string, unknown> {
  const { name, uid } = last.metadata;
  const group = kind.group === "" ? {} : { group: kind.group };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...group, kind: kind.plural, uid },
  };
}

function isHeld(object: ApiObject): boolean {
  if (finalizersOf(object).length > 0) return true;
  if (object.apiVersion !== "v1" || object.kind !== "Namespace") return false;
  const spec = object["spec"] as { readonly finalizers?: readonly string[] } | undefined;
  return (spec?.finalizers ?? []).length > 0;
}

/** The propagation policy is stored as a finalizer, which the garbage collector removes when it is done. */
function finalizersFor(object: ApiObject, options: DeleteOptions): readonly string[] | undefined {
  const present = finalizersOf(object);
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  const wanted = [...others, ...dependentsFinalizer(present, options)];
  return wanted.length === 0 ? undefined : wanted;
}

function dependentsFinalizer(present: readonly string[], options: DeleteOptions): readonly string[] {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? [orphanFinalizer] : [];
  switch (options.propagationPolicy) {
    case "Orphan":
      return [orphanFinalizer];
    case "Foreground":
      return [foregroundFinalizer];
    case "Background":
      return [];
    default:
      return present.filter((name) => name === orphanFinalizer || name === foregroundFinalizer);
  }
}

function checkOptions({ propagationPolicy, orphanDependents }: DeleteOptions): void {
  const issues: FieldIssue[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const fault = "orphanDependents and deletionPropagation cannot be both set";
    issues.push(invalid("propagationPolicy", propagationPolicy, fault));
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    issues.push(notSupported("propagationPolicy", propagationPolicy, [...policies, "nil"]));
  }
  if (issues.length === 0) return;
  throw new StatusError(invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", issues));
}

function checkPreconditions(object: ApiObject, request: WriteRequest, options: DeleteOptions): void {
  const { uid, resourceVersion, name } = object.metadata;
  const refuse = (because: string): ApiStatus =>
    conflict({ group: request.kind.group, resource: request.kind.kind }, name as string, because);
  if (options.uid !== undefined && options.uid !== uid) {
    throw new StatusError(
      refuse(
        `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ),
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw new StatusError(
      refuse(
        `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      ),
    );
  }
}
