import { type FieldIssue, invalid, itemPath } from "../field-issue.ts";
import { cacheValidNames, qualifiedName } from "../names.ts";

export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

const path = "metadata.finalizers";
const none: readonly never[] = [];
const nameFaults = cacheValidNames(qualifiedName);

export interface FinalizerKind {
  readonly group: string;
  readonly isCustom: boolean;
}

/** Finalizers of Kubernetes itself, which are not qualified. */
const standardFinalizers = ["kubernetes", orphanFinalizer, foregroundFinalizer];

/** Groups whose kinds Kubernetes validates as leniently as custom kinds. */
const lenientGroups = ["apiextensions.k8s.io", "admissionregistration.k8s.io"];

export function finalizerIssues(
  finalizers: readonly string[],
  { isCustom, group }: FinalizerKind,
): readonly FieldIssue[] {
  if (finalizers.length === 0) return none;
  const isOrdinary = (name: string): boolean => name.includes("/") && nameFaults(name).length === 0;
  if (finalizers.every(isOrdinary)) return none;
  const both = finalizers.includes(orphanFinalizer) && finalizers.includes(foregroundFinalizer);
  const clash = `finalizer ${orphanFinalizer} and ${foregroundFinalizer} cannot be both set`;
  return [
    ...finalizers.flatMap((name) => qualifiedName(name).map((fault) => invalid(path, name, fault))),
    ...(both ? [invalid(path, finalizers, clash)] : []),
    ...(isCustom || lenientGroups.includes(group) ? [] : finalizers.flatMap(ownerlessIssues)),
  ];
}

function ownerlessIssues(name: string, index: number): readonly FieldIssue[] {
  if (name.includes("/") || standardFinalizers.includes(name)) return [];
  const fault = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(itemPath(path, index), name, fault)];
}
