import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64Bytes, isBase64 } from "./base64-text.ts";
import { roundTripThroughGoType } from "./go-round-trip.ts";

describe("an object read and written as its Go types", () => {
  const cases: Record<string, [struct: string, before: object, after: object]> = {
    "drops nulls and empty values": [
      "core.v1.ConfigMap",
      { metadata: { name: "a", labels: {}, generateName: "" }, data: {}, immutable: null },
      { metadata: { name: "a" } },
    ],
    "keeps false in an optional boolean": [
      "core.v1.ConfigMap",
      { metadata: {}, immutable: false },
      { metadata: {}, immutable: false },
    ],
    "drops false from a boolean with omitempty": [
      "core.v1.PodSpec",
      { containers: [], hostPID: false },
      { containers: null },
    ],
    "adds missing structs and times": [
      "core.v1.PodCondition",
      { type: "Ready", status: "True" },
      { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: null },
    ],
    "drops unknown fields": ["core.v1.LocalObjectReference", { name: "a", foo: 1 }, { name: "a" }],
    "replaces null items by empty ones": [
      "core.v1.PodSpec",
      { containers: [null] },
      { containers: [{ name: "", resources: {} }] },
    ],
    "replaces null members by empty ones": [
      "core.v1.ConfigMap",
      { data: { a: null } },
      { metadata: {}, data: { a: "" } },
    ],
    "writes quantities in canonical form": [
      "core.v1.ResourceRequirements",
      { limits: { cpu: 0.5, memory: "1024Mi", pods: 1000, "a/b": "1e3" } },
      { limits: { cpu: "500m", memory: "1Gi", pods: "1k", "a/b": "1e3" } },
    ],
    "writes times in UTC": [
      "coordination.v1.LeaseSpec",
      { renewTime: "2024-03-01T01:30:00.5+02:00".replace(".5", ".500000") },
      { renewTime: "2024-02-29T23:30:00.500000Z" },
    ],
    "sets constant defaults": [
      "core.v1.RBDVolumeSource",
      { monitors: ["a"], image: "b", pool: "" },
      { monitors: ["a"], image: "b", pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
    ],
    "keeps a key with a name of the prototype": [
      "core.v1.ConfigMap",
      JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}'),
      JSON.parse('{"metadata":{},"data":{"__proto__":"x","constructor":"y"}}'),
    ],
  };
  for (const [name, [struct, before, after]] of Object.entries(cases)) {
    it(name, () => {
      const shaped = roundTripThroughGoType(struct, before as never);
      expect(JSON.stringify(shaped, sortKeys)).toBe(JSON.stringify(after, sortKeys));
      expect(JSON.stringify(roundTripThroughGoType(struct, shaped as never))).toBe(JSON.stringify(shaped));
    });
  }

  it("shares no values with its source", () => {
    const before = { metadata: { name: "a" }, data: { a: "b" } };
    const shaped = roundTripThroughGoType("core.v1.ConfigMap", before);
    (shaped["data"] as Record<string, string>)["a"] = "changed";
    expect(before.data.a).toBe("b");
  });
});

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const sorted = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted);
}

describe("base64", () => {
  const texts: Record<string, [text: string, isValid: boolean]> = {
    nothing: ["", true],
    "a whole group": ["YWJj", true],
    padding: ["YQ==", true],
    "line breaks": ["Y\nQ=\r\n=\n", true],
    "a character of another alphabet": ["YW-j", false],
    "padding too early": ["Y===", false],
    "half the padding": ["YQ=", false],
    "text after padding": ["YQ==YQ==", false],
    "a truncated group": ["YWJjYW", false],
  };
  for (const [name, [text, isValid]] of Object.entries(texts)) {
    it(name, () => {
      expect(isBase64(text)).toBe(isValid);
    });
  }

  it("accepts any encoded bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64");
        expect(isBase64(text)).toBe(true);
        expect(base64Bytes(text)).toBe(bytes.length);
      }),
    );
  });
});
