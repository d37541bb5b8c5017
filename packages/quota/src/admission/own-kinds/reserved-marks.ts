import { type FieldIssue, forbidden, itemPath } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { annotations, labels } from "../../core/resources/well-known.ts";

/** What a claim says of itself that others go by: with it on, a claim counts as made for an object, and goes with it. */
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

/** Reserved labels and annotations that a write sets, changes or takes away. */
export function changedMarks(object: JsonObject, old: JsonObject | undefined): readonly FieldIssue[] {
  return (["labels", "annotations"] as const).flatMap((where) =>
    reserved[where]
      .filter((name) => markIn(object, where, name) !== markIn(old, where, name))
      .map((name) =>
        forbidden(itemPath(`metadata.${where}`, name), "only the quota system sets, changes or removes it"),
      ),
  );
}

function markIn(object: JsonObject | undefined, where: string, name: string): unknown {
  const metadata = object === undefined ? undefined : ownValue(object, "metadata");
  const marks = isJsonObject(metadata) ? ownValue(metadata, where) : undefined;
  return isJsonObject(marks) ? ownValue(marks, name) : undefined;
}
