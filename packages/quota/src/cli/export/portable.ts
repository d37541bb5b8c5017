import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** Said by the server, or about objects of this server alone. */
const ownFields: ReadonlySet<string> = new Set([
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

const ownAnnotation =
  /^(kubectl\.kubernetes\.io\/last-applied-configuration|resourcemanager\.miloapis\.com\/project-uid)$/;

/** An object as somebody would write it for another cluster. */
export function portable({ apiVersion, kind, metadata, status: _status, ...rest }: AnyObject): JsonObject {
  const kept = Object.entries(metadata as unknown as JsonObject).filter(([field]) => !ownFields.has(field));
  const { annotations, ...others } = Object.fromEntries(kept);
  const noted = isJsonObject(annotations)
    ? Object.entries(annotations).filter(([name]) => !ownAnnotation.test(name))
    : [];
  return {
    apiVersion,
    kind,
    metadata: { ...others, ...(noted.length === 0 ? {} : { annotations: Object.fromEntries(noted) }) },
    ...(rest as Readonly<Record<string, JsonValue>>),
  };
}
