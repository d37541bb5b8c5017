import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { pick } from "./random-writes.ts";

type Random = () => number;

const odd: readonly JsonValue[] = [
  null,
  {},
  [],
  [null],
  [{}],
  [[]],
  "",
  "0",
  "-1",
  "a",
  "__proto__",
  "\u0000",
  "\ud800",
  "é😀",
  "x".repeat(300),
  -1,
  0,
  1,
  1.5,
  1e300,
  2 ** 31,
  true,
  false,
  { __proto__: null, a: 1 },
  { $patch: "delete" },
  { "$setElementOrder/a": ["x"] },
];

export function oddValue(random: Random): JsonValue {
  return pick(random, odd);
}

/** The value with some parts replaced, removed or added. */
export function mutated(value: JsonValue, random: Random, depth = 0): JsonValue {
  if (random() < 0.08 + depth * 0.04) return oddValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return random() < 0.5 ? value : [oddValue(random)];
    const at = Math.floor(random() * value.length);
    if (random() < 0.2) return [...value, value[at] as JsonValue];
    return value.map((item, index) => (index === at ? mutated(item, random, depth + 1) : item));
  }
  if (typeof value !== "object" || value === null) return oddValue(random);
  return mutatedObject(value as JsonObject, random, depth);
}

function mutatedObject(object: JsonObject, random: Random, depth: number): JsonObject {
  const keys = Object.keys(object);
  const key = keys.length === 0 ? undefined : pick(random, keys);
  if (key === undefined || random() < 0.1) return { ...object, [pick(random, newKeys)]: oddValue(random) };
  if (random() < 0.15) return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
  return { ...object, [key]: mutated(object[key] as JsonValue, random, depth + 1) };
}

const newKeys = [
  "metadata",
  "spec",
  "status",
  "name",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
  "data",
  "x",
];

/** A JSON Patch that may be valid. */
export function randomJsonPatch(random: Random): JsonValue {
  const paths = [
    "/metadata/labels",
    "/metadata/labels/a",
    "/data",
    "/data/a",
    "/spec",
    "/spec/size",
    "/a/-",
    "",
    "/",
    "/~2",
    "x",
    "/metadata",
  ];
  const operations = ["add", "remove", "replace", "move", "copy", "test", "fix"];
  return Array.from({ length: Math.floor(random() * 5) }, () => ({
    op: pick(random, operations),
    path: pick(random, paths),
    ...(random() < 0.3 ? { from: pick(random, paths) } : {}),
    ...(random() < 0.8 ? { value: oddValue(random) } : {}),
  }));
}

/** The bytes with some of them changed, removed or duplicated. */
export function mutatedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = Buffer.from(bytes);
  for (let count = Math.floor(random() * 4); count > 0; count -= 1) {
    changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
  }
  return random() < 0.2 ? changed.subarray(0, Math.floor(random() * changed.length)) : changed;
}
