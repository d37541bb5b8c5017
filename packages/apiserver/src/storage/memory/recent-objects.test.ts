import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";
import { keyText } from "./key-order.ts";
import { Missing, RecentObjects } from "./recent-objects.ts";

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
  it("are latest versions by key, up to the limit", () => {
    const act = fc.record({ act: fc.constantFrom("set", "delete", "miss"), at: fc.nat(keys.length - 1) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const recent = new RecentObjects(countMax);
        const newest = new Map<string, StoredObject>();
        for (const [revision, { act, at }] of acts.entries()) {
          const key = keys[at] as ObjectKey;
          if (act === "set") {
            newest.set(keyText(key), version(key, revision));
            recent.set(newest.get(keyText(key)) as StoredObject);
          } else if (act === "delete") {
            recent.delete(key);
            newest.delete(keyText(key));
          } else if (!newest.has(keyText(key))) recent.set(new Missing(key));
          const found = keys.map((each) => recent.get(each)).filter((each) => each !== undefined);
          for (const each of found) {
            expect(each instanceof Missing ? undefined : each).toBe(newest.get(keyText(each.key)));
          }
          expect(found.length).toBeLessThanOrEqual(countMax);
          if (act === "set") expect(recent.get(key)).toBe(newest.get(keyText(key)));
        }
      }),
    );
  });
});
