import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ObjectKey } from "../object-key.ts";
import { defaultLimits } from "../store-limits.ts";
import type { StoredObject } from "../stored-object.ts";
import { compareBytes, keyText } from "./key-order.ts";
import { ParsedVersions } from "./parsed-versions.ts";
import { SortedObjects } from "./sorted-objects.ts";
import { StoredVersion } from "./stored-version.ts";
import { TextCompressor } from "./text-compressor.ts";

const start: ObjectKey = { plane: "", resource: "r", namespace: "", name: "" };

const parsed = new ParsedVersions(defaultLimits, new TextCompressor());

function version(key: ObjectKey, revision: number): StoredObject {
  return new StoredVersion({ key, revision, deleted: false, text: "{}", more: false }, parsed);
}

function stored(name: string, revision = 0): StoredObject {
  return version({ ...start, name }, revision);
}

function contents(objects: Iterable<StoredObject>): string[] {
  return [...objects].map(({ key, revision }) => `${key.name}@${revision}`);
}

describe("byte order", () => {
  it("is the order of the strings in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (left, right) => {
        expect(Math.sign(compareBytes(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });
});

/** Adds and removes runs of neighbors, so that chunks fill, split, empty and merge. */
const run = fc.record({
  act: fc.constantFrom("add", "remove", "replace"),
  from: fc.nat(4_000),
  count: fc.integer({ min: 1, max: 1_500 }),
  step: fc.constantFrom(1, -1, 7),
});

describe("sorted objects", () => {
  it("equal a sorted array, and their snapshots are immutable", () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), fc.nat(6_000), (runs, seek) => {
        const objects = new SortedObjects();
        const model = new Map<string, number>();
        const snapshots: [Iterable<StoredObject>, string[]][] = [];
        const expected = (from: string) =>
          [...model]
            .filter(([name]) => name >= from)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, n]) => `${name}@${n}`);
        for (const [at, { act, from, count, step }] of runs.entries()) {
          for (let n = 0; n < count; n += 1) {
            const name = String((from + n * step + 6_000) % 6_000).padStart(4, "0");
            if (act === "remove") {
              objects.delete({ ...start, name });
              model.delete(name);
            } else if (act === "add" || model.has(name)) {
              objects.set(stored(name, at));
              model.set(name, at);
            }
          }
          const first = String(seek).padStart(4, "0");
          snapshots.push([objects.from({ ...start, name: first }), expected(first)]);
          expect(objects.size).toBe(model.size);
          for (let n = 0; n < 6_000; n += 1 + (seek % 7)) {
            const name = String(n).padStart(4, "0");
            expect(objects.get({ ...start, name })?.revision).toBe(model.get(name));
          }
        }
        expect(contents(objects.from(start))).toEqual(expected(""));
        for (const [snapshot, then] of snapshots) expect(contents(snapshot)).toEqual(then);
        for (const name of [...model.keys()]) objects.delete({ ...start, name });
        expect(contents(objects.from(start))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("are in byte order for any names", () => {
    const name = fc.string({
      unit: fc.constantFrom("a", "b", "\u00e9", "\uffee", "\u{1f600}"),
      maxLength: 4,
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        const objects = new SortedObjects();
        for (const each of names) objects.set(stored(each));
        const sorted = [...names].sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
        expect([...objects.from(start)].map(({ key }) => key.name)).toEqual(sorted);
        for (const each of names) expect(objects.get({ ...start, name: each })).toBeDefined();
      }),
    );
  });

  it("find the latest version among many with the same name prefix", () => {
    const act = fc.record({ set: fc.boolean(), plane: fc.nat(1), namespace: fc.nat(1), name: fc.nat(2) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const objects = new SortedObjects();
        const model = new Map<string, number>();
        for (const [at, { set, plane, namespace, name }] of acts.entries()) {
          const key = { plane: `p${plane}`, resource: "r", namespace: `s${namespace}`, name: `n${name}` };
          const before = model.get(keyText(key));
          expect(objects.get(key)?.revision).toBe(before);
          const changed = set ? objects.set(version(key, at)) : objects.delete(key);
          expect(changed?.revision).toBe(before);
          if (set) model.set(keyText(key), at);
          else model.delete(keyText(key));
          expect(objects.get(key)?.revision).toBe(model.get(keyText(key)));
        }
        for (const { key, revision } of objects.from(start)) expect(model.get(keyText(key))).toBe(revision);
        expect(objects.size).toBe(model.size);
      }),
    );
  });

  it("keep chunks full for ascending names, to save memory", () => {
    const objects = new SortedObjects();
    for (let at = 0; at < 5_120; at += 1) objects.set(stored(String(at).padStart(6, "0")));
    expect(objects.chunkCount).toBeLessThanOrEqual(11);
    for (let at = 0; at < 5_100; at += 1) objects.delete({ ...start, name: String(at).padStart(6, "0") });
    expect(objects.chunkCount).toBe(1);
  });
});
