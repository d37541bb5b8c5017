import { expect, it } from "vitest";
import { request, storedClaim } from "../../../../test/claim-fixtures.ts";
import { amountOf } from "../../../core/resources/fields/amount.ts";
import { shrunkStatus } from "./claim-status.ts";

const time = "2026-02-02T00:00:00Z";
const earlier = "2026-01-01T00:00:00Z";
const unit = { baseUnit: "millicore", displayUnit: "core", factor: 1_000n };
const context = { now: time, unitOf: () => unit };
const head = { status: "Granted", reason: "QuotaAvailable", allocatingBucket: "b", lastTransitionTime: earlier };
const claim = storedClaim({
  state: "granted",
  allocations: [
    { ...head, resourceType: "core/cpu", allocatedAmount: 2_000, message: "Allocated 2 cores from bucket b" },
    { ...head, resourceType: "core/disk", allocatedAmount: 500, message: "Allocated 0.5 cores from bucket b" },
  ],
});
const part = (resourceType: string, amount: number) => {
  const { dimensionKey } = request(resourceType, amount);
  return { resourceType, dimensionKey, amount: amountOf(amount) };
};

it("a lowered claim says everywhere what it holds now", () => {
  expect(shrunkStatus(claim, [part("core/cpu", 1_000)], context)).toMatchObject({
    amounts: "1 core, 0.5 cores",
    allocations: [
      { allocatedAmount: 1_000, message: "Allocated 1 core from bucket b", lastTransitionTime: time },
      { allocatedAmount: 500, message: "Allocated 0.5 cores from bucket b", lastTransitionTime: earlier },
    ],
  });
});

it("a claim is never raised, and not written without a change", () => {
  expect(shrunkStatus(claim, [part("core/cpu", 3_000), part("core/disk", 500)], context)).toBeUndefined();
});
