import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlaneObjectKey } from "./plane-object-key.ts";
import { PlaneObjectMap } from "./plane-object-map.ts";

const place = fc.record({
  plane: fc.constantFrom("", "root", "acme"),
  namespace: fc.constantFrom("", "root", "acme"),
  name: fc.constantFrom("root", "acme", "other"),
});
const steps = fc.array(fc.record({ place, value: fc.option(fc.nat(), { nil: undefined }) }), { maxLength: 60 });

test("holds the last value of each key", () => {
  fc.assert(
    fc.property(steps, (made) => {
      const map = new PlaneObjectMap<number>();
      const model = new Map<string, number>();
      for (const { place: at, value } of made) {
        if (value === undefined) expect(map.delete(at)).toBe(model.delete(JSON.stringify(at)));
        else {
          map.set(at, value);
          model.set(JSON.stringify(at), value);
        }
        expect(map.get(at)).toBe(value);
        expect(map.size).toBe(model.size);
      }
      expect(new Map([...map.entries()].map(([at, value]) => [JSON.stringify(at), value]))).toEqual(model);
      expect([...map.planes].sort()).toEqual([...new Set([...map.entries()].map(([at]) => at.plane))].sort());
    }),
  );
});

test("entries can be deleted during iteration", () => {
  const map = new PlaneObjectMap<number>();
  const places: PlaneObjectKey[] = [1, 2, 3].map((at) => ({ plane: "root", namespace: `n${at % 2}`, name: `o${at}` }));
  for (const [at, each] of places.entries()) map.set(each, at);
  const read: PlaneObjectKey[] = [];
  for (const [each] of map.entries()) {
    read.push(each);
    map.delete(each);
  }
  expect([read.length, map.size, [...map.planes]]).toEqual([3, 0, []]);
});
