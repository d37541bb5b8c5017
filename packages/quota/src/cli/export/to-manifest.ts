import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** Set by the server, or references to other objects of the same server. */
const serverFields: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
  "ownerReferences",
  "finalizers",
]);

const serverAnnotation =
  /^(kubectl\.kubernetes\.io\/last-applied-configuration|resourcemanager\.miloapis\.com\/project-uid)$/;

/** The object without status and without fields that only make sense on this server. */
export function toManifest({ apiVersion, kind, metadata, status: _status, ...rest }: AnyObject): JsonObject {
  const kept = Object.entries(metadata as unknown as JsonObject).filter(([field]) => !serverFields.has(field));
  const { annotations, ...others } = Object.fromEntries(kept);
  const keptAnnotations = isJsonObject(annotations)
    ? Object.entries(annotations).filter(([name]) => !serverAnnotation.test(name))
    : [];
  return {
    apiVersion,
    kind,
    metadata: {
      ...others,
      ...(keptAnnotations.length === 0 ? {} : { annotations: Object.fromEntries(keptAnnotations) }),
    },
    ...(rest as Readonly<Record<string, JsonValue>>),
  };
}
