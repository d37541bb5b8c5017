import fc from "fast-check";
import { expect, test } from "vitest";
import { addressKey, kindKey, type ObjectAddress } from "../objects/governed-object.ts";
import { ClaimsByObject } from "./claims-by-object.ts";

const kinds = ["ConfigMap", "Secret"].map((kind) => ({ apiGroup: "", kind }));
const addresses: readonly ObjectAddress[] = kinds.flatMap((kind) =>
  ["a", "b"].map((name) => ({ kind, place: { plane: "root", namespace: "default", name } })),
);
const claims = ["one", "two", "three"].map((name) => ({ plane: "root", namespace: "default", name }));

const step = fc.record({
  address: fc.constantFrom(...addresses),
  claim: fc.constantFrom(...claims),
  isAdded: fc.boolean(),
});

test("knows the claims of every object, and tells when there are some of other kinds than before", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let told = 0;
      let expectedTold = 0;
      const index = new ClaimsByObject(() => {
        told += 1;
      });
      const model = new Map(addresses.map((address) => [addressKey(address), new Set<string>()]));
      const kindsOf = () =>
        kinds.map(kindKey).filter((key) => [...model].some(([at, own]) => at.startsWith(`${key}\n`) && own.size > 0));
      for (const { address, claim, isAdded } of steps) {
        const before = kindsOf().length;
        if (isAdded) index.add(address, { ...claim });
        else index.remove(address, { ...claim });
        const own = model.get(addressKey(address));
        if (isAdded) own?.add(claim.name);
        else own?.delete(claim.name);
        if (kindsOf().length !== before) expectedTold += 1;
        expect(told).toBe(expectedTold);
        for (const each of addresses) {
          const names = index.of(each).map(({ name }) => name);
          expect(names.sort()).toEqual([...(model.get(addressKey(each)) ?? [])].sort());
        }
        expect(index.kinds().map(kindKey).sort()).toEqual(kindsOf().sort());
      }
    }),
  );
});
