import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { describe, expect, it } from "vitest";
import { type FieldScope, resetFieldsOf } from "./field-scope.ts";
import { trackUpdate } from "./track-update.ts";

const schema: Schema = {
  type: "object",
  properties: {
    data: { type: "object", additionalProperties: { type: "string" } },
    spec: { type: "object", properties: { replicas: { type: "integer" } } },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};
const scope: FieldScope = {
  apiVersion: "v1",
  kind: "Thing",
  subresource: "",
  schemaOf: (apiVersion) => (apiVersion === "v1" ? schema : undefined),
  resetFields: resetFieldsOf(true, ""),
};

const thing = (parts: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...metadata },
  ...parts,
});

interface Step {
  readonly live?: JsonObject | undefined;
  readonly updated: JsonObject;
  readonly manager?: string;
  readonly second?: number;
  readonly scope?: FieldScope;
}

const track = ({ live, updated, manager = "m", second = 0, scope: within = scope }: Step) =>
  trackUpdate({ live, updated, manager, scope: within, nowMs: second * 1000 });

/** An object as stored after a write. */
function stored(step: Step): JsonObject {
  const managedFields = track(step) as unknown as JsonValue;
  const { managedFields: _, ...metadata } = step.updated["metadata"] as JsonObject;
  return {
    ...step.updated,
    metadata: { ...metadata, uid: "1", ...(managedFields === undefined ? {} : { managedFields }) },
  };
}

const summary = (entries: readonly ManagedFieldsEntry[] | undefined) =>
  entries?.map(({ manager, operation, time, fieldsV1, subresource }) => [
    [manager, operation, time?.slice(17, 19), ...(subresource === undefined ? [] : [subresource])].join(" "),
    fieldsV1,
  ]);

describe("the managed fields of an object", () => {
  const made = stored({ updated: thing({ data: { a: "1", b: "1" } }) });

  it("begin with the creator, which owns all fields it set except the name", () => {
    const updated = thing({ data: { a: "1" } }, { labels: { l: "x" }, generation: 1 });
    expect(track({ updated, second: 61 })).toEqual([
      {
        manager: "m",
        operation: "Update",
        apiVersion: "v1",
        time: "1970-01-01T00:01:01Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { ".": {}, "f:a": {} }, "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } },
      },
    ]);
  });

  it("exclude structs that an empty object has", () => {
    const updated = thing({ spec: { replicas: 1 } });
    expect(summary(track({ updated, scope: { ...scope, blank: { spec: {} } } }))).toEqual([
      ["m Update 00", { "f:spec": { "f:replicas": {} } }],
    ]);
  });

  it("move to the manager that changes a field", () => {
    const updated = thing({ data: { a: "2", b: "1" } });
    expect(summary(track({ live: made, updated, manager: "n", second: 5 }))).toEqual([
      ["m Update 00", { "f:data": { ".": {}, "f:b": {} } }],
      ["n Update 05", { "f:data": { "f:a": {} } }],
    ]);
  });

  it("drop managers without fields", () => {
    const before = stored({ live: made, updated: thing({ data: { a: "1", b: "1", c: "1" } }), manager: "n" });
    expect(summary(track({ live: before, updated: thing({ data: { a: "1", b: "1" } }), manager: "o" }))).toEqual([
      ["m Update 00", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }],
    ]);
  });

  it("keep their times when nothing changes", () => {
    expect(track({ live: made, updated: thing({ data: { a: "1", b: "1" } }), second: 9 })).toEqual(
      (made["metadata"] as JsonObject)["managedFields"],
    );
  });

  it("are separate for each subresource, which cannot set them", () => {
    const status: FieldScope = { ...scope, subresource: "status", resetFields: resetFieldsOf(true, "status") };
    const sent = thing(
      { data: { a: "1", b: "1" }, spec: { replicas: 9 }, status: { phase: "x" } },
      { managedFields: [] },
    );
    expect(summary(track({ live: made, updated: sent, scope: status, second: 1 }))).toEqual([
      ["m Update 00", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }],
      ["m Update 01 status", { "f:status": { ".": {}, "f:phase": {} } }],
    ]);
  });

  it("exclude the status that a write of the object cannot set", () => {
    const updated = thing({ spec: { replicas: 1 }, status: { phase: "x" } });
    expect(summary(track({ updated }))).toEqual([["m Update 00", { "f:spec": { ".": {}, "f:replicas": {} } }]]);
  });

  const entry = {
    manager: "sent",
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { "f:a": {} } },
  };
  const kept = [["m Update 00", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }]];
  const sent: Record<string, [managedFields: JsonValue, after: unknown]> = {
    "are cleared for an empty list": [[], undefined],
    "are cleared for one empty entry": [[{}], undefined],
    "are kept when a client sends null": [null, kept],
    "are kept when a client sends no list": ["x", kept],
    "are kept for an unknown operation": [[{ ...entry, operation: "Nope" }], kept],
    "are kept for an entry without a version": [[{ ...entry, apiVersion: "" }], kept],
    "are kept for an entry without a type": [[{ ...entry, fieldsType: "" }], kept],
    "are kept for an unknown type": [[{ ...entry, fieldsType: "FieldsV2" }], kept],
    "are kept for malformed fields": [[{ ...entry, fieldsV1: { x: {} } }], kept],
    "are kept for a malformed time": [[{ ...entry, time: "yesterday" }], kept],
    "are replaced by valid entries of a client": [
      [{ ...entry, time: "2020-01-01T01:00:07+01:00" }],
      [["sent Update 07", { "f:data": { "f:a": {} } }]],
    ],
  };
  for (const [name, [managedFields, after]] of Object.entries(sent)) {
    it(name, () => {
      const updated = thing({ data: { a: "1", b: "1" } }, { managedFields });
      expect(summary(track({ live: made, updated, second: 3 }))).toEqual(after);
    });
  }

  it("stay absent once they are cleared", () => {
    const { managedFields: _, ...metadata } = made["metadata"] as JsonObject;
    expect(track({ live: { ...made, metadata }, updated: thing({ data: { a: "2" } }) })).toBeUndefined();
  });

  it("are dropped when the object does not match its schema", () => {
    expect(track({ live: made, updated: thing({ bogus: 1 }) })).toBeUndefined();
  });

  it("are dropped when the object is nested too deeply", () => {
    const deep = Array.from({ length: 100_000 }).reduce<JsonValue>((inner) => ({ a: inner }), {});
    expect(track({ live: made, updated: thing({ data: deep }) })).toBeUndefined();
  });

  it("name an unnamed manager", () => {
    expect(track({ updated: thing({ data: { a: "1" } }), manager: "" })?.[0]?.manager).toBe("unknown");
  });

  it("merge the oldest of more than ten updaters", () => {
    let live: JsonObject | undefined;
    const data: Record<string, string> = {};
    for (let index = 0; index < 13; index += 1) {
      data[`k${index}`] = "1";
      live = stored({ live, updated: thing({ data: { ...data } }), manager: `m${index}`, second: index });
    }
    const { managedFields: entries } = (live as unknown as { metadata: { managedFields: ManagedFieldsEntry[] } })
      .metadata;
    expect(entries.map(({ manager, time }) => `${manager} ${time?.slice(17, 19)}`)).toEqual([
      "ancient-changes 03",
      ...Array.from({ length: 9 }, (_, index) => `m${index + 4} ${String(index + 4).padStart(2, "0")}`),
    ]);
    expect(entries[0]?.fieldsV1).toEqual({ "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {}, "f:k3": {} } });
  });

  it("are sorted by time, with appliers first", () => {
    const applied = { ...entry, operation: "Apply", time: "2020-01-01T00:00:09Z" };
    const managedFields = [
      { ...entry, manager: "b", time: "2020-01-01T00:00:02Z" },
      { ...entry, manager: "a", time: "2020-01-01T00:00:02Z" },
      { ...entry, manager: "z", time: "2020-01-01T00:00:01Z" },
      applied,
    ];
    const updated = thing({ data: { a: "1", b: "1" } }, { managedFields });
    const order = track({ live: made, updated })?.map(({ manager }) => manager);
    expect(order).toEqual(["sent", "z", "a", "b"]);
  });
});
