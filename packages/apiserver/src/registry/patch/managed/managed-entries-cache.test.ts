import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { describe, expect, it } from "vitest";
import { type FieldScope, resetFieldsOf } from "./field-scope.ts";
import { trackUpdate } from "./track-update.ts";

const text = { type: "string" } as const;
const data = { type: "object", additionalProperties: text } as const;
const schema: Schema = { type: "object", properties: { data, status: data } };
const scope: FieldScope = {
  apiVersion: "v1",
  kind: "Thing",
  subresource: "",
  schemaOf: () => schema,
  resetFields: resetFieldsOf(true, ""),
};

interface Change {
  readonly live?: JsonObject;
  readonly data: JsonObject;
  readonly manager?: string;
  readonly second?: number;
  readonly scope?: FieldScope;
}

const thing = (content: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x" },
  data: content,
});

function entriesAfter({ live, data: content, manager = "m", second = 0, scope: within = scope }: Change) {
  return trackUpdate({ live, updated: thing(content), manager, scope: within, nowMs: second * 1_000 });
}

/** An object stored with the identical entries of its last write. */
function stored(change: Change): JsonObject {
  const managedFields = entriesAfter(change) as unknown as JsonValue;
  return { ...thing(change.data), metadata: { name: "x", uid: "1", managedFields } };
}

function managedFieldsOf({ metadata }: JsonObject): ReturnType<typeof entriesAfter> {
  return (metadata as unknown as { managedFields: ReturnType<typeof entriesAfter> }).managedFields;
}

/** The cache stores a shape on its second use. */
function seenTwice(change: Change): void {
  entriesAfter(change);
  entriesAfter(change);
}

describe("the managed fields of objects with equal changes", () => {
  it("are identical within a second, for creates too", () => {
    seenTwice({ data: { a: "0" } });
    const [one, other] = [stored({ data: { a: "1" } }), stored({ data: { a: "2" } })];
    seenTwice({ live: one, data: { a: "3" } });
    const changed = entriesAfter({ live: one, data: { a: "4" } });
    expect(entriesAfter({ data: { a: "5" } })).toBe(entriesAfter({ data: { a: "6" } }));
    expect(entriesAfter({ live: other, data: { a: "7" } })).toBe(changed);
  });

  const others: Record<string, Partial<Change>> = {
    "another second": { second: 7 },
    "another manager": { manager: "n" },
    "another version": { scope: { ...scope, apiVersion: "v2" } },
    "a subresource": { scope: { ...scope, subresource: "scale" } },
  };
  for (const [title, other] of Object.entries(others)) {
    it(`differ in ${title}`, () => {
      const live = stored({ data: { b: "1" } });
      seenTwice({ live, data: { b: "2" } });
      const usual = entriesAfter({ live, data: { b: "3" } });
      const unusual = entriesAfter({ live, data: { b: "3" }, ...other });
      expect(unusual).not.toEqual(usual);
      expect(entriesAfter({ live, data: { b: "3" } })).toEqual(usual);
    });
  }

  it("are computed again when a manager owns fields in another version", () => {
    const isServed = { v2: true };
    const both: FieldScope = {
      ...scope,
      schemaOf: (version) => (version !== "v2" || isServed.v2 ? schema : undefined),
    };
    const live = stored({ data: { c: "1", d: "1" }, manager: "old", scope: { ...both, apiVersion: "v2" } });
    const change = { live, data: { c: "2", d: "1" }, scope: both };
    seenTwice(change);
    expect(entriesAfter(change)?.map(({ manager }) => manager)).toEqual(["m", "old"]);
    isServed.v2 = false;
    expect(entriesAfter(change)?.map(({ manager }) => manager)).toEqual(["m"]);
  });

  it("stay identical while one manager writes the same fields within a second", () => {
    seenTwice({ data: { g: "0" } });
    const live = stored({ data: { g: "1" } });
    seenTwice({ live, data: { g: "2" } });
    const next = stored({ live, data: { g: "3" } });
    expect(entriesAfter({ live: next, data: { g: "4" } })).toBe(managedFieldsOf(live));
    expect(entriesAfter({ live: next, data: { g: "4" }, second: 1 })).not.toEqual(managedFieldsOf(live));
  });

  it("keep the fields of a manager that writes the same ones again", () => {
    const live = stored({ data: { e: "1", f: "1" } });
    const change = { live, data: { e: "2", f: "1" }, second: 1 };
    seenTwice(change);
    expect(entriesAfter(change)?.[0]?.fieldsV1).toBe(managedFieldsOf(live)?.[0]?.fieldsV1);
  });
});
