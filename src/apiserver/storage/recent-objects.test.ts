import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyText } from "./key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";
import { RecentObjects } from "./recent-objects.ts";

const countMax = 4;
const keys: readonly ObjectKey[] = ["a", "b"].flatMap((plane) =>
  ["x", "y"].flatMap((namespace) =>
    ["1", "2", "3", "4", "5", "6"].map((name) => ({ plane, resource: "r", namespace, name })),
  ),
);

function version(key: ObjectKey, revision: number): StoredObject {
  return { key: { ...key }, revision } as StoredObject;
}

describe("recent objects", () => {
  it("are newest versions, of the very key, and no more than may be", () => {
    const act = fc.record({ set: fc.boolean(), at: fc.nat(keys.length - 1) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const recent = new RecentObjects(countMax);
        const newest = new Map<string, number>();
        for (const [revision, { set, at }] of acts.entries()) {
          const key = keys[at] as ObjectKey;
          if (set) {
            recent.set(version(key, revision));
            newest.set(keyText(key), revision);
          } else {
            recent.delete(key);
            newest.delete(keyText(key));
          }
          const found = keys.map((each) => recent.get(each)).filter((each) => each !== undefined);
          for (const each of found) expect(each.revision).toBe(newest.get(keyText(each.key)));
          expect(found.length).toBeLessThanOrEqual(countMax);
          if (set) expect(recent.get(key)?.revision).toBe(revision);
        }
      }),
    );
  });
});
