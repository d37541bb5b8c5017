import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyJsonPatch } from "./json-patch.ts";
import { parseJsonPatch } from "./json-patch-operation.ts";
import { PatchRejected } from "./patch-errors.ts";

const apply = (document: JsonValue, patch: JsonValue): JsonValue =>
  applyJsonPatch(document, parseJsonPatch(patch).operations);

function failureOf(call: () => unknown): { code: number; message: string; because?: string } {
  try {
    call();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code, message = "" } = error.status;
    return { code, message, ...(error instanceof PatchRejected ? { because: error.detail } : {}) };
  }
  throw new Error("nothing failed");
}

describe("a JSON patch", () => {
  const cases: Record<string, [document: JsonValue, patch: JsonValue, result: JsonValue]> = {
    "adds a member": [{}, [{ op: "add", path: "/a", value: 1 }], { a: 1 }],
    "adds null for a missing value": [{}, [{ op: "add", path: "/a" }], { a: null }],
    "inserts before an item": [{ a: [1, 2] }, [{ op: "add", path: "/a/1", value: 9 }], { a: [1, 9, 2] }],
    "appends with a dash": [{ a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
    "appends before minus one": [{ a: [1] }, [{ op: "add", path: "/a/-1", value: 2 }], { a: [1, 2] }],
    "removes the last item by minus one": [{ a: [1, 2] }, [{ op: "remove", path: "/a/-1" }], { a: [1] }],
    "replaces a missing member": [{}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
    "replaces the document": [{ a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
    "keeps a document that a scalar would replace": [{ a: 1 }, [{ op: "replace", path: "", value: 2 }], { a: 1 }],
    "moves a member": [{ a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
    "copies by value": [
      { a: { x: [1] } },
      [
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/a/x/-", value: 2 },
      ],
      { a: { x: [1, 2] }, b: { x: [1] } },
    ],
    "unescapes slash and tilde": [{ "a/b": { "~": 1 } }, [{ op: "remove", path: "/a~1b/~0" }], { "a/b": {} }],
    "unescapes once": [{ "~1": 1 }, [{ op: "remove", path: "/~01" }], {}],
    "ignores what precedes the first slash": [{ b: 1 }, [{ op: "remove", path: "x/b" }], {}],
    "tests null of a missing member": [{}, [{ op: "test", path: "/a", value: null }], {}],
    "tests integers beyond doubles exactly": [
      { a: 9007199254740993n },
      [{ op: "test", path: "/a", value: 9007199254740993n }],
      { a: 9007199254740993n },
    ],
    "does nothing when it is null": [{ a: 1 }, null, { a: 1 }],
  };
  for (const [name, [document, patch, result]] of Object.entries(cases)) {
    it(name, () => expect(apply(document, patch)).toEqual(result));
  }

  const rejected: Record<string, [document: JsonValue, operation: JsonValue, because: string]> = {
    "a failed test": [{ a: 1 }, { op: "test", path: "/a", value: 2 }, "testing value /a failed: test failed"],
    "a missing parent": [
      {},
      { op: "add", path: "/a/b", value: 1 },
      'add operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    "removing a missing member": [
      {},
      { op: "remove", path: "/a" },
      "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    ],
    "an index beyond the end": [
      { a: [] },
      { op: "remove", path: "/a/0" },
      "error in remove for path: '/a/0': Unable to access invalid index: 0: invalid index referenced",
    ],
    "replacing a missing item": [
      { a: [] },
      { op: "replace", path: "/a/0", value: 1 },
      "replace operation does not apply: doc is missing key: /a/0: missing value",
    ],
    "a word as an index": [
      { a: [] },
      { op: "add", path: "/a/x", value: 1 },
      "error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ],
    "an unknown operation": [{}, { op: "merge", path: "/a" }, "Unexpected kind: merge"],
    "no operation": [{}, { path: "/a" }, "Unexpected kind: unknown"],
    "no path": [{}, { op: "add" }, "add operation failed to decode path: missing value"],
    "no source": [
      {},
      { op: "move", path: "/a" },
      "move operation failed to decode from: operation, missing from field: missing value",
    ],
    "moving into itself": [
      { a: {} },
      { op: "move", from: "/a", path: "/a/b" },
      "move operation does not apply: doc is missing destination path: /a/b: missing value",
    ],
  };
  for (const [name, [document, operation, because]] of Object.entries(rejected)) {
    it(`rejects ${name}`, () => {
      const message = "the server rejected our request due to an error in our request";
      expect(failureOf(() => apply(document, [operation]))).toEqual({ code: 422, message, because });
    });
  }

  const undecodable: Record<string, [patch: JsonValue, message: string]> = {
    "an object": [{}, "expected array, got object"],
    "a list of strings": [["x"], "expected object, got string"],
    "an operation that is a number": [[{ op: 1 }], "op: expected string, got number"],
  };
  for (const [name, [patch, message]] of Object.entries(undecodable)) {
    it(`cannot be ${name}`, () => {
      expect(failureOf(() => parseJsonPatch(patch))).toEqual({
        code: 400,
        message: `error decoding patch: ${message}`,
      });
    });
  }

  it("has at most ten thousand operations", () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: null }));
    expect(apply({}, patch.slice(1))).toEqual({});
    expect(failureOf(() => apply({}, patch))).toEqual({
      code: 413,
      message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    });
  });

  it("copies at most three megabytes", () => {
    const document = { a: "x".repeat(1_000_000) };
    const copies = ["/b", "/c", "/d", "/e"].map((path) => ({ op: "copy", from: "/a", path }));
    expect(Object.keys(apply(document, copies.slice(1)) as object)).toHaveLength(4);
    expect(failureOf(() => apply(document, copies)).because).toBe(
      "Unable to complete the copy, the accumulated size increase of copy is 4000008, exceeding the limit 3145728",
    );
  });

  it("cannot create a document beyond the maximum nesting", () => {
    const deeper = Array.from({ length: 12 }, () => ({ op: "copy", from: "/a", path: `${"/a".repeat(2)}` }));
    const nested = Array.from({ length: 600 }).reduce<JsonValue>((inner) => ({ a: inner }), {});
    expect(
      failureOf(() => apply({ a: nested }, [{ op: "add", path: "/a".repeat(599), value: nested }, ...deeper])),
    ).toEqual({
      code: 400,
      message: "the object is nested deeper than 1000 levels",
    });
  });

  it("reports unknown fields", () => {
    const { strictIssues } = parseJsonPatch([
      { op: "test", path: "/a" },
      { op: "test", path: "/a", foo: 1 },
    ]);
    expect(strictIssues).toEqual(['json patch unknown field "[1].foo"']);
  });

  it("does not read or write prototypes", () => {
    const document = JSON.parse('{"a":{}}') as JsonValue;
    const result = apply(document, [{ op: "add", path: "/a/__proto__", value: { polluted: true } }]) as {
      a: Record<string, unknown>;
    };
    expect(result.a["polluted"]).toBeUndefined();
    expect(Object.keys(result.a)).toEqual(["__proto__"]);
    expect(failureOf(() => apply(document, [{ op: "add", path: "/constructor/x", value: 1 }])).code).toBe(422);
  });

  it("never changes the document it is given", () => {
    const pointer = fc.constantFrom("/a", "/a/0", "/a/-", "/b", "/b/c", "/b/c/d", "");
    const op = fc.constantFrom("add", "remove", "replace", "move", "copy", "test");
    const operation = fc.record({ op, path: pointer, from: pointer, value: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (patch) => {
        const document = { a: [1, { x: 2 }], b: { c: { d: 1 } } };
        try {
          apply(document, patch as JsonValue);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(document).toEqual({ a: [1, { x: 2 }], b: { c: { d: 1 } } });
      }),
    );
  });
});
