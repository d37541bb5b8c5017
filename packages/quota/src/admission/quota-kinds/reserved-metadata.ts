import { type FieldIssue, forbidden, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";

/** Labels and annotations by which controllers bind a claim to its object and delete it together with the object. */
const reserved = {
  labels: [labels.autoCreated],
  annotations: [
    annotations.createdBy,
    annotations.policy,
    annotations.candidates,
    annotations.bound,
    annotations.resourcePlane,
  ],
} as const;

/** An issue for each reserved label or annotation that a write sets, changes or removes. */
export function reservedMetadataIssues(object: JsonObject, old: JsonObject | undefined): readonly FieldIssue[] {
  return (["labels", "annotations"] as const).flatMap((where) =>
    reserved[where]
      .filter((name) => valueIn(object, where, name) !== valueIn(old, where, name))
      .map((name) =>
        forbidden(itemPath(`metadata.${where}`, name), "only the quota system sets, changes or removes it"),
      ),
  );
}

function valueIn(object: JsonObject | undefined, where: string, name: string): unknown {
  const metadata = object === undefined ? undefined : ownValue(object, "metadata");
  const values = isJsonObject(metadata) ? ownValue(metadata, where) : undefined;
  return isJsonObject(values) ? ownValue(values, name) : undefined;
}
