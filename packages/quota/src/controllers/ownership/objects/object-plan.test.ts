import { describe, expect, it } from "vitest";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { isEmptyPlan, type ObjectClaim, type ObservedObject, planFor } from "./object-plan.ts";

const consumer = { apiGroup: "", kind: "Organization", namespace: "", name: "acme" };
const parts = (amount: number) => [{ resourceType: "cpu", dimensionKey: "", amount: amountOf(amount) }];
const needs = (amount: number) => ({ policy: "p", need: "claim", consumer, parts: parts(amount) }) as const;

function claim(uid: string, amount: number, more: Partial<ObjectClaim> = {}): ObjectClaim {
  const key = { plane: "root", namespace: "default", name: uid };
  const steady = { state: "granted", deleting: false, isShared: false, recentForMs: 0 } as const;
  return { key, uid, version: "1", consumer, parts: parts(amount), ...steady, ...more };
}

/** What is missing, which claims are released, which shrink, and how long to wait. */
type Shown = readonly [missing: number, goes: string, shrinks: string, waitMs?: number];

const enforced: ObservedObject = {
  need: needs(3),
  mode: "Enforce",
  existingObjects: "Ignore",
  enforcedSince: "2026-01-01T00:00:10Z",
  created: "2026-01-01T00:00:20Z",
  claims: [],
};
const empty: Shown = [0, "", ""];

const cases: Readonly<Record<string, readonly [Partial<ObservedObject>, Shown]>> = {
  "an object without a claim gets one": [{}, [3, "", ""]],
  "so does one created in the second in which the policy took effect": [
    { created: "2026-01-01T00:00:10Z" },
    [3, "", ""],
  ],
  "an older one gets none": [{ created: "2026-01-01T00:00:09Z" }, empty],
  "unless the policy adopts": [{ created: "2025-01-01T00:00:00Z", existingObjects: "Adopt" }, [3, "", ""]],
  "an older one that has a claim is governed": [
    { created: "2025-01-01T00:00:00Z", claims: [claim("a", 1)] },
    [2, "", ""],
  ],
  "a policy in Shadow mode claims nothing": [{ mode: "Shadow" }, empty],
  "and releases nothing": [{ mode: "Shadow", claims: [claim("a", 5)] }, empty],
  "nor does a policy that is not ready": [{ enforcedSince: undefined }, empty],
  "nor one that cannot be evaluated": [
    { need: { policy: "p", need: "unknown", message: "" }, claims: [claim("a", 5)] },
    empty,
  ],
  "an object that needs nothing has nothing": [{ need: { policy: "p", need: "nothing" } }, empty],
  "and releases what it had": [{ need: { policy: "p", need: "nothing" }, claims: [claim("a", 5)] }, [0, "a", ""]],
  "surplus is released": [{ claims: [claim("a", 3), claim("b", 2)] }, [0, "b", ""]],
  "or shrinks": [{ claims: [claim("a", 5)] }, [0, "", "a"]],
  "a pending claim counts": [{ claims: [claim("a", 3, { state: "pending" })] }, empty],
  "while one is pending nothing is released": [{ claims: [claim("a", 3), claim("b", 2, { state: "pending" })] }, empty],
  "nor while one is being deleted": [{ claims: [claim("a", 3), claim("b", 2, { deleting: true })] }, empty],
  "nor while it has other candidates": [{ claims: [claim("a", 5, { isShared: true })] }, empty],
  "nor while the object may be about to grow": [
    { claims: [claim("a", 3), claim("b", 2, { recentForMs: 7 })] },
    [0, "", "", 7],
  ],
  "missing parts are claimed meanwhile": [{ claims: [claim("a", 1, { recentForMs: 7 })] }, [2, "", ""]],
};

describe("the plan for the claims of an object", () => {
  it.each(Object.entries(cases))("%s", (_, [given, [missing, goes, shrinks, waitMs]]) => {
    const plan = planFor({ ...enforced, ...given });
    expect(plan.missing).toEqual(missing === 0 ? [] : parts(missing));
    expect(plan.superfluous.map(({ uid }) => uid).join()).toBe(goes);
    expect(plan.oversized.map(({ claim: { uid } }) => uid).join()).toBe(shrinks);
    expect(plan.waitMs).toBe(waitMs);
    expect(isEmptyPlan(plan)).toBe(missing === 0 && goes === "" && shrinks === "" && waitMs === undefined);
  });
});
