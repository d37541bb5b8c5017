import { describe, expect, it } from "vitest";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { isAtRest, type ObjectClaim, type ObjectSituation, planFor } from "./object-plan.ts";

const consumer = { apiGroup: "", kind: "Organization", namespace: "", name: "acme" };
const parts = (amount: number) => [{ resourceType: "cpu", dimensionKey: "", amount: amountOf(amount) }];
const needs = (amount: number) => ({ policy: "p", need: "claim", consumer, parts: parts(amount) }) as const;

function claim(uid: string, amount: number, more: Partial<ObjectClaim> = {}): ObjectClaim {
  const place = { plane: "root", namespace: "default", name: uid };
  const steady = { state: "granted", deleting: false, isShared: false, youngForMs: 0 } as const;
  return { place, uid, version: "1", consumer, parts: parts(amount), ...steady, ...more };
}

/** What is missing, which claims go, which shrink, and how long it waits. */
type Shown = readonly [missing: number, goes: string, shrinks: string, waitMs?: number];

const enforced: ObjectSituation = {
  need: needs(3),
  mode: "Enforce",
  existingObjects: "Ignore",
  readySince: "2026-01-01T00:00:10Z",
  created: "2026-01-01T00:00:20Z",
  claims: [],
};
const rest: Shown = [0, "", ""];

const cases: Readonly<Record<string, readonly [Partial<ObjectSituation>, Shown]>> = {
  "an object without a claim gets one": [{}, [3, "", ""]],
  "one made in the second in which the policy went to work as well": [{ created: "2026-01-01T00:00:10Z" }, [3, "", ""]],
  "an older one gets none": [{ created: "2026-01-01T00:00:09Z" }, rest],
  "unless the policy adopts": [{ created: "2025-01-01T00:00:00Z", existingObjects: "Adopt" }, [3, "", ""]],
  "an older one that has a claim is governed": [
    { created: "2025-01-01T00:00:00Z", claims: [claim("a", 1)] },
    [2, "", ""],
  ],
  "a policy that only looks claims nothing": [{ mode: "Shadow" }, rest],
  "and gives up nothing": [{ mode: "Shadow", claims: [claim("a", 5)] }, rest],
  "nor does one that is not known to be at work": [{ readySince: undefined }, rest],
  "nor one that nobody can evaluate": [
    { need: { policy: "p", need: "unknown", message: "" }, claims: [claim("a", 5)] },
    rest,
  ],
  "an object that needs nothing has nothing": [{ need: { policy: "p", need: "nothing" } }, rest],
  "and gives up what it had": [{ need: { policy: "p", need: "nothing" }, claims: [claim("a", 5)] }, [0, "a", ""]],
  "too much is given up": [{ claims: [claim("a", 3), claim("b", 2)] }, [0, "b", ""]],
  "or shrinks": [{ claims: [claim("a", 5)] }, [0, "", "a"]],
  "a pending claim counts": [{ claims: [claim("a", 3, { state: "pending" })] }, rest],
  "while one is pending nothing is given up": [{ claims: [claim("a", 3), claim("b", 2, { state: "pending" })] }, rest],
  "nor while one is going": [{ claims: [claim("a", 3), claim("b", 2, { deleting: true })] }, rest],
  "nor while others may come that it is for": [{ claims: [claim("a", 5, { isShared: true })] }, rest],
  "nor while the object may be about to grow": [
    { claims: [claim("a", 3), claim("b", 2, { youngForMs: 7 })] },
    [0, "", "", 7],
  ],
  "too little is put right meanwhile": [{ claims: [claim("a", 1, { youngForMs: 7 })] }, [2, "", ""]],
};

describe("what is to be done about the claims of an object", () => {
  it.each(Object.entries(cases))("%s", (_, [given, [missing, goes, shrinks, waitMs]]) => {
    const plan = planFor({ ...enforced, ...given });
    expect(plan.missing).toEqual(missing === 0 ? [] : parts(missing));
    expect(plan.superfluous.map(({ uid }) => uid).join()).toBe(goes);
    expect(plan.oversized.map(({ claim: { uid } }) => uid).join()).toBe(shrinks);
    expect(plan.waitMs).toBe(waitMs);
    expect(isAtRest(plan)).toBe(missing === 0 && goes === "" && shrinks === "" && waitMs === undefined);
  });
});
