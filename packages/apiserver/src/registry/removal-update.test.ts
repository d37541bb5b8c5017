import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { isRemovalUpdate } from "./removal-update.ts";

const held = {
  kind: "ConfigMap",
  metadata: { name: "a", finalizers: ["a", "b"], resourceVersion: "4" },
  data: { x: 1 },
};
const time = "2026-01-01T00:00:00Z";
const terminating = withMetadata(held, { deletionTimestamp: time, deletionGracePeriodSeconds: 0, generation: 2 });
const namespace = { kind: "Namespace", metadata: { name: "a" }, spec: { finalizers: ["kubernetes"] }, status: {} };
const endingNamespace = withMetadata(namespace, { deletionTimestamp: time });

function withMetadata(object: JsonObject, metadata: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), ...metadata } };
}

describe("an update belongs to a removal", () => {
  const cases: Record<string, [before: JsonObject, after: JsonObject, isRemoval: boolean]> = {
    "if it takes a finalizer away": [held, withMetadata(held, { finalizers: ["b"], managedFields: [] }), true],
    "if it takes all finalizers away": [held, withMetadata(held, { finalizers: [] }), true],
    "not if it replaces a finalizer": [held, withMetadata(held, { finalizers: ["c"] }), false],
    "not if it adds a finalizer": [held, withMetadata(held, { finalizers: ["a", "b", "c"] }), false],
    "not if it changes a label as well": [held, withMetadata(held, { finalizers: [], labels: { a: "b" } }), false],
    "not if it changes data as well": [held, { ...withMetadata(held, { finalizers: [] }), data: {} }, false],
    "not if it changes nothing": [held, held, false],
    "if it marks the object for deletion": [held, terminating, true],
    "not if it changes data with the mark": [held, { ...terminating, data: {} }, false],
    "if it takes a finalizer of a terminating object": [
      terminating,
      withMetadata(terminating, { finalizers: [] }),
      true,
    ],
    "not if it changes data of a terminating object": [terminating, { ...terminating, data: {} }, false],
    "if it marks a namespace": [namespace, { ...endingNamespace, status: { phase: "Terminating" } }, true],
    "if it finalizes a namespace": [endingNamespace, { ...endingNamespace, spec: { finalizers: [] } }, true],
    "not if it changes the spec of a terminating namespace": [
      endingNamespace,
      { ...endingNamespace, spec: { a: 1 } },
      false,
    ],
  };
  it.each(Object.entries(cases))("%s", (_, [before, after, isRemoval]) => {
    expect(isRemovalUpdate(before, after)).toBe(isRemoval);
  });
});
