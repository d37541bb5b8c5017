import fc from "fast-check";
import { expect, test } from "vitest";
import { addressId, kindKey, type ObjectAddress } from "../objects/object-address.ts";
import { ClaimsByObject } from "./claims-by-object.ts";

const kinds = ["ConfigMap", "Secret"].map((kind) => ({ apiGroup: "", kind }));
const addresses: readonly ObjectAddress[] = kinds.flatMap((kind) =>
  ["a", "b"].map((name) => ({ kind, key: { plane: "root", namespace: "default", name } })),
);
const claims = ["one", "two", "three"].map((name) => ({ plane: "root", namespace: "default", name }));

const step = fc.record({
  address: fc.constantFrom(...addresses),
  claim: fc.constantFrom(...claims),
  isAdded: fc.boolean(),
});

test("indexes the claims of every object, and reports changes to the set of kinds", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let changes = 0;
      let expectedChanges = 0;
      const index = new ClaimsByObject(() => {
        changes += 1;
      });
      const model = new Map(addresses.map((address) => [addressId(address), new Set<string>()]));
      const kindsOf = () =>
        kinds.map(kindKey).filter((key) => [...model].some(([at, own]) => at.startsWith(`${key}\n`) && own.size > 0));
      for (const { address, claim, isAdded } of steps) {
        const before = kindsOf().length;
        if (isAdded) index.add(address, { ...claim });
        else index.remove(address, { ...claim });
        const own = model.get(addressId(address));
        if (isAdded) own?.add(claim.name);
        else own?.delete(claim.name);
        if (kindsOf().length !== before) expectedChanges += 1;
        expect(changes).toBe(expectedChanges);
        for (const each of addresses) {
          const names = index.of(each).map(({ name }) => name);
          expect(names.sort()).toEqual([...(model.get(addressId(each)) ?? [])].sort());
        }
        expect(index.kinds().map(kindKey).sort()).toEqual(kindsOf().sort());
      }
    }),
  );
});
