import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { type JsonObject, type JsonValue, sortedKeys } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
// Written by the serializer of Kubernetes 1.34.4; the JSON is what Go decodes from it.
import encodedObjects from "../../../test/recorded/encoded-objects.json" with { type: "json" };
import { builtinKinds } from "../../registry/builtin/builtin-kinds.ts";
import { structNames, structOf } from "../../registry/builtin/typed/struct-table.ts";
import { type DecodedBody, decodeProtobuf, undecodable } from "./decode-protobuf.ts";
import { structOfKind } from "./kind-structs.ts";
import { type Message, messageOf } from "./message-table.ts";
import { messageDepthMax, valuesMax } from "./read-limits.ts";

const configMap = { apiVersion: "v1", kind: "ConfigMap" };
const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

const textOf = (value: JsonValue) => writeJson(sortedKeys(value));
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));
const decoded = (body: Uint8Array, expected = configMap): JsonObject => {
  const result = decodeProtobuf(body, expected);
  if (!result.ok) throw new Error(result.because);
  return result.object;
};
const fault = (body: Uint8Array, expected = configMap): DecodedBody & { ok: false } => {
  const result = decodeProtobuf(body, expected);
  if (result.ok) throw new Error("there is nothing wrong with it");
  return result;
};

/** The parts of a message, encoded by hand. */
const varint = (value: bigint | number): number[] => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
};
const number = (field: number, value: bigint | number) => [...varint(field << 3), ...varint(value)];
const piece = (field: number, content: string | Iterable<number>) => {
  const bytes = [...(typeof content === "string" ? Buffer.from(content) : content)];
  return [...varint((field << 3) | 2), ...varint(bytes.length), ...bytes];
};
const enveloped = (raw: Iterable<number>, { apiVersion, kind } = configMap) =>
  Uint8Array.from([
    ...[0x6b, 0x38, 0x73, 0],
    ...piece(1, [...piece(1, apiVersion), ...piece(2, kind)]),
    ...piece(2, raw),
  ]);

describe("a protobuf object", () => {
  for (const { name, protobuf, json } of encodedObjects) {
    it(`is the same as in JSON: ${name}`, () => {
      expect(textOf(decoded(bytesOf(protobuf)))).toBe(textOf(readJson(json)));
    });
  }

  it("is read at any offset of a buffer", () => {
    const body = enveloped(piece(1, piece(1, "a")));
    const padded = Uint8Array.from([1, 2, 3, ...body, 4, 5]);
    expect(decoded(padded.subarray(3, 3 + body.length))).toEqual({ ...configMap, metadata: { name: "a" } });
  });

  const read: Record<string, [raw: number[], expected: JsonObject]> = {
    "skips unknown fields": [
      [...number(99, -1n), ...piece(100, "x"), 0x81, 0x0f, ...Array(8).fill(1), 0x85, 0x0f, 1, 1, 1, 1],
      { metadata: {} },
    ],
    "merges a struct that is sent twice": [
      [...piece(1, piece(1, "a")), ...piece(1, piece(3, "b"))],
      { metadata: { name: "a", namespace: "b" } },
    ],
    "uses the last of a string that is sent twice": [
      piece(1, [...piece(1, "a"), ...piece(1, "b")]),
      { metadata: { name: "b" } },
    ],
    "clears a string that is sent again empty": [piece(1, [...piece(1, "a"), ...piece(1, "")]), { metadata: {} }],
    "fills in an entry without a value": [
      [...piece(2, piece(1, "k")), ...piece(3, piece(1, "b"))],
      { metadata: {}, data: { k: "" }, binaryData: { b: "" } },
    ],
    "fills in an entry without a key": [piece(2, piece(2, "v")), { metadata: {}, data: { "": "v" } }],
    "keeps a byte order mark at the start of a string": [
      piece(2, piece(2, "\uFEFFv")),
      { metadata: {}, data: { "": "\uFEFFv" } },
    ],
    "replaces each byte that is not UTF-8": [
      piece(2, piece(2, [0x61, 0xe2, 0x82, 0x62, 0xff, 0xc3, 0xa9])),
      { metadata: {}, data: { "": "a\uFFFD\uFFFDb\uFFFDé" } },
    ],
    "keeps integers beyond what a double holds": [
      piece(1, number(7, -9_007_199_254_740_993n)),
      { metadata: { generation: -9_007_199_254_740_993n } },
    ],
    "distinguishes a pointer to zero from nil": [
      [...piece(1, number(10, 0)), ...number(4, 0)],
      { metadata: { deletionGracePeriodSeconds: 0 }, immutable: false },
    ],
    "shows a time before 1970": [
      piece(1, piece(8, number(1, -1n))),
      { metadata: { creationTimestamp: "1969-12-31T23:59:59Z" } },
    ],
    "omits the zero time of Go": [piece(1, piece(8, number(1, -62_135_596_800n))), { metadata: {} }],
  };
  for (const [name, [raw, expected]] of Object.entries(read)) {
    it(name, () => expect(decoded(enveloped(raw))).toEqual({ ...configMap, ...expected }));
  }

  it("reads repeated numbers both packed and unpacked", () => {
    const groups = (context: number[]) =>
      decoded(enveloped(piece(2, piece(14, context)), { apiVersion: "v1", kind: "Pod" }))["spec"];
    const both = groups([...number(4, 1), ...piece(4, [...varint(2), ...varint(-1n)])]);
    expect(both).toMatchObject({ securityContext: { supplementalGroups: [1, 2, -1] } });
    expect(groups(piece(4, []))).toMatchObject({ securityContext: {} });
  });

  it("is of the expected kind when it does not specify one", () => {
    const body = Uint8Array.from([0x6b, 0x38, 0x73, 0, ...piece(2, piece(1, piece(1, "a")))]);
    expect(decoded(body)).toEqual({ ...configMap, metadata: { name: "a" } });
  });
});

describe("an invalid protobuf body", () => {
  const prefix = [0x6b, 0x38, 0x73, 0];
  const metadata = (...fields: number[]) => enveloped(piece(1, fields));
  const inSchema = (fields: number[]) => enveloped(piece(2, piece(7, [...piece(4, piece(1, fields))])), definition);
  const rejected: Record<string, [body: Uint8Array, because: string | RegExp]> = {
    "an empty body": [new Uint8Array(0), "empty data"],
    "only the prefix": [Uint8Array.from(prefix), "empty body"],
    "half a prefix": [Uint8Array.from(prefix.slice(0, 3)), /does not appear to be a protobuf message/],
    JSON: [
      new Uint8Array(Buffer.from("{}")),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ],
    "a kind that is not served": [
      enveloped([], { apiVersion: "apps/v1", kind: "ConfigMap" }),
      'no kind "ConfigMap" is registered for version "apps/v1"',
    ],
    "a struct that is not a kind": [enveloped([], { apiVersion: "v1", kind: "PodSpec" }), /^no kind "PodSpec"/],
    "a length beyond the end": [metadata(0x0a, 5, 1), "unexpected EOF"],
    "a length that is negative": [metadata(0x0a, ...varint(-1n)), "proto: negative length found during unmarshaling"],
    "a truncated number": [metadata(0x38, 0x80), "unexpected EOF"],
    "a number of more than 64 bits": [metadata(0x38, ...Array(10).fill(0x80), 0), "proto: integer overflow"],
    "a string instead of a number": [metadata(0x3a, 0), "proto: wrong wireType = 2 for field Generation"],
    "a number instead of a string": [metadata(0x08, 0), "proto: wrong wireType = 0 for field Name"],
    "a field zero": [metadata(0, 0), "proto: ObjectMeta: illegal tag 0 (wire type 0)"],
    "a group": [metadata(0xa3, 0x06, 0xa4, 0x06), "proto: illegal wireType 3"],
    "the end of a group": [metadata(0x0c), "proto: ObjectMeta: wiretype end group for non-group"],
    "a wire type that does not exist": [metadata(0xa6, 0x06), "proto: illegal wireType 6"],
    "a time after the year 9999": [
      metadata(...piece(8, number(1, 253_402_300_800n))),
      "proto: Timestamp: 253402300800 seconds are not within the years 0000 to 9999",
    ],
    "an invalid quantity": [
      enveloped(piece(2, piece(2, piece(2, [...piece(1, "storage"), ...piece(2, piece(1, "many"))]))), {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
      }),
      /^quantities must match the regular expression/,
    ],
    "a number without a JSON representation": [
      inSchema([0x49, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]),
      "json: unsupported value: +Inf",
    ],
    "a raw value that is not JSON": [inSchema(piece(8, piece(1, "{"))), /^proto: JSON: the raw value is not JSON: /],
    "a raw value nested too deeply": [
      inSchema(piece(8, piece(1, "[".repeat(2_000) + "]".repeat(2_000)))),
      "proto: JSON: exceeded max depth",
    ],
  };
  for (const [name, [body, because]] of Object.entries(rejected)) {
    it(`is rejected: ${name}`, () => {
      const actual = fault(body).because;
      if (typeof because === "string") expect(actual).toBe(because);
      else expect(actual).toMatch(because);
    });
  }

  /** Schemas nested by additionalProperties, with a deep value at the end. */
  const nested = (depth: number) => {
    let schema = piece(8, piece(1, "[".repeat(900) + "]".repeat(900)));
    for (let level = 0; level < depth; level += 1) schema = piece(30, piece(2, schema));
    return inSchema(schema);
  };

  it("accepts schemas up to the maximum nesting, and no deeper", () => {
    // The object, its spec, the version, the validation and the outermost schema come first.
    expect(decodeProtobuf(nested(messageDepthMax - 5), definition).ok).toBe(true);
    expect(fault(nested(messageDepthMax - 4), definition).because).toBe(
      `proto: messages are nested more than ${messageDepthMax} levels deep`,
    );
  });

  it("rejects more values than the limit", () => {
    const body = (count: number) =>
      enveloped(
        piece(
          1,
          new Uint8Array(2 * count).map((_, at) => (at % 2 ? 0 : 0x72)),
        ),
      );
    expect(decodeProtobuf(body(1_000), configMap).ok).toBe(true);
    expect(fault(body(valuesMax + 1)).because).toBe(`proto: more than ${valuesMax} values`);
  });

  const messages: Record<string, [body: Uint8Array, message: string]> = {
    "its kind, when it specifies one": [
      enveloped([], { apiVersion: "example.com/v2", kind: "Thing" }),
      'Thing in version "v2" cannot be handled as a ConfigMap: no kind "Thing" is registered for version "example.com/v2"',
    ],
    "its first bytes, when it has no prefix": [
      new Uint8Array(Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n")),
      "the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)",
    ],
    "its emptiness": [
      new Uint8Array(0),
      "the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)",
    ],
  };
  for (const [name, [body, message]] of Object.entries(messages)) {
    it(`is answered with ${name}`, () => {
      expect(undecodable(fault(body), "ConfigMap", body)).toMatchObject({ code: 400, reason: "BadRequest", message });
    });
  }
});

describe("arbitrary bytes", () => {
  const kinds = builtinKinds.map(({ group, version, kind }) => ({
    apiVersion: formatApiVersion(group, version),
    kind,
  }));

  it("are read or rejected under any kind", () => {
    const claims = fc.tuple(fc.constantFrom(...kinds), fc.uint8Array({ maxLength: 300 }));
    const property = fc.property(claims, ([kind, raw]) => {
      const result = decodeProtobuf(enveloped(raw, kind), kind);
      expect(result.ok || result.because !== "").toBe(true);
    });
    fc.assert(property, { numRuns: 3_000, seed: 34 });
  });

  it("are read or rejected when they are a corrupted object", () => {
    const damage = fc.record({
      body: fc.constantFrom(...encodedObjects.map(({ protobuf }) => bytesOf(protobuf))),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      removed: fc.integer({ min: 0, max: 4 }),
      added: fc.uint8Array({ maxLength: 4 }),
    });
    const property = fc.property(damage, ({ body, at, removed, added }) => {
      const start = Math.floor(at * body.length);
      const damaged = Uint8Array.from([...body.subarray(0, start), ...added, ...body.subarray(start + removed)]);
      const result = decodeProtobuf(damaged, configMap);
      expect(result.ok || result.because !== "").toBe(true);
    });
    fc.assert(property, { numRuns: 3_000, seed: 34 });
  });
});

describe("the table of field numbers", () => {
  it("has every struct, and each of its fields but kind and apiVersion", () => {
    const numbered = ({ members }: Message): string[] =>
      [...members.values()].flatMap((member) =>
        member.form === "field" ? [member.field.name] : numbered(member.message),
      );
    const missing = structNames().flatMap((name) => {
      const found = new Set([...numbered(messageOf(name)), "kind", "apiVersion"]);
      return [...structOf(name).fields.keys()].filter((field) => !found.has(field)).map((field) => `${name}.${field}`);
    });
    expect(missing).toEqual([]);
  });

  it("has every built-in kind", () => {
    const missing = builtinKinds.filter(
      ({ group, version, kind }) => structOfKind({ apiVersion: formatApiVersion(group, version), kind }) === undefined,
    );
    expect(missing.map(({ kind }) => kind)).toEqual([]);
  });

  it("reads DeleteOptions under any group", () => {
    for (const apiVersion of ["v1", "meta.k8s.io/v1", "example.com/v2"]) {
      expect(structOfKind({ apiVersion, kind: "DeleteOptions" })).toBe("meta.v1.DeleteOptions");
    }
  });
});
