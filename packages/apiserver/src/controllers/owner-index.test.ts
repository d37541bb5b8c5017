import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ObjectKey } from "../storage/object-key.ts";
import { OwnerIndex } from "./owner-index.ts";

const planes = ["root", "other"];
const uids = ["u1", "u2", "u3"];
const keys: readonly ObjectKey[] = planes.flatMap((plane) =>
  ["a", "b", "c"].map((name) => ({ plane, resource: "configmaps", namespace: "default", name })),
);

function ownersWith(owners: readonly string[]): readonly OwnerReference[] {
  return owners.map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: uid, uid }));
}

/** The whole index, sorted. */
function dependents(index: OwnerIndex): unknown {
  return planes.map((plane) => uids.map((uid) => new Set(index.dependentsOf(plane, uid))));
}

const step = fc.record({
  key: fc.constantFrom(...keys),
  owners: fc.option(fc.array(fc.constantFrom(...uids), { maxLength: 4 }), { nil: undefined }),
});

test("lists every dependent of an owner through random adds and removals", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const index = new OwnerIndex();
      const model = new Map<ObjectKey, readonly string[]>();
      for (const { key, owners } of steps) {
        if (owners === undefined) index.remove(key);
        else index.put(key, ownersWith(owners));
        model.set(key, owners ?? []);
        const named = (plane: string, uid: string) =>
          keys.filter((each) => each.plane === plane && model.get(each)?.includes(uid));
        expect(dependents(index)).toEqual(planes.map((plane) => uids.map((uid) => new Set(named(plane, uid)))));
      }
    }),
  );
});

test("lists each dependent once", () => {
  const index = new OwnerIndex();
  const [key] = keys as readonly [ObjectKey];
  index.put(key, ownersWith(["u1", "u1"]));
  index.put(key, ownersWith(["u1", "u2"]));
  expect(index.dependentsOf("root", "u1")).toEqual([key]);
});
