import { describe, expect, it } from "vitest";
import { allocatedCoversClaims } from "./allocated-covers-claims.ts";
import { bucketBounds } from "./bucket-bounds.ts";
import { decisionsAreFinal } from "./decisions-are-final.ts";
import { reservationsFit } from "./reservations-fit.ts";
import {
  type BucketInput,
  bucket,
  buckets,
  claim,
  claims,
  grant,
  grants,
  type PoolInput,
  type ReservationInput,
  StateFixture,
} from "./state-fixture.ts";

describe("I1, buckets count at least what granted claims hold,", () => {
  const cases: Record<string, [shown: BucketInput, held: readonly number[], isValid: boolean]> = {
    "an equal count": [{ limit: 5, allocated: 3 }, [1, 2], true],
    "a higher count, for deleted claims": [{ limit: 5, allocated: 4 }, [1, 2], true],
    "a lower count": [{ limit: 5, allocated: 2 }, [1, 2], false],
    "a lower count with a reservation of the claim that is not counted yet": [
      { limit: 5, allocated: 1, reservations: [{ by: "c1", amount: 2 }] },
      [1, 2],
      true,
    ],
    "a lower count with a reservation of another claim": [
      { limit: 5, allocated: 1, reservations: [{ by: "c9", amount: 2 }] },
      [1, 2],
      false,
    ],
  };
  for (const [name, [shown, held, isValid]] of Object.entries(cases)) {
    it(`${isValid ? "accepts" : "reports"} ${name}`, () => {
      const state = new StateFixture([allocatedCoversClaims]);
      state.put(buckets, bucket({ limit: 99, allocated: 99 }));
      for (const [at, amount] of held.entries()) state.put(claims, claim(`c${at}`, "granted", [{ amount }]));
      expect(state.put(buckets, bucket(shown)).length === 0).toBe(isValid);
    });
  }

  it("ignores a bucket that does not exist or has no status yet", () => {
    const state = new StateFixture([allocatedCoversClaims]);
    expect(state.put(claims, claim("c", "granted", [{ amount: 1 }]))).toEqual([]);
    expect(state.put(buckets, bucket({ limit: 0, allocated: 0, writer: "" }))).toEqual([]);
    expect(state.put(buckets, bucket({ limit: 1, allocated: 0, writer: "w.1" }))).toHaveLength(1);
  });

  it("reports the deletion of a bucket with a reservation of an existing claim", () => {
    const state = new StateFixture([allocatedCoversClaims]);
    state.put(claims, claim("c", "pending", [{ amount: 1 }]));
    state.put(buckets, bucket({ limit: 1, allocated: 0, reservations: [{ by: "c", amount: 1 }] }));
    expect(state.remove(buckets, "x-things")).toHaveLength(1);
    state.put(buckets, bucket({ limit: 1, allocated: 0, reservations: [{ by: "gone", amount: 1 }] }));
    expect(state.remove(buckets, "x-things")).toEqual([]);
  });
});

describe("I2, reservations fit,", () => {
  const here = { place: "here" };
  const there = { place: "there" };
  const cases: Record<
    string,
    [given: readonly PoolInput[], allocated: number, reservations: readonly ReservationInput[], isValid: boolean]
  > = {
    "one that takes the rest": [[{ amount: 3 }], 2, [{ by: "a", amount: 1 }], true],
    "one over the limit": [[{ amount: 3 }], 3, [{ by: "a", amount: 1 }], false],
    "a forced one over the limit": [[{ amount: 3 }], 3, [{ by: "a", amount: 1, forced: true }], true],
    "two that do not fit together": [
      [{ amount: 1 }],
      0,
      [
        { by: "a", amount: 1 },
        { by: "b", amount: 1 },
      ],
      false,
    ],
    "one whose place has capacity": [[{ amount: 1, only: here }], 0, [{ by: "a", amount: 1, dimensions: here }], true],
    "one where only another place has capacity": [
      [{ amount: 1, only: here }],
      0,
      [{ by: "a", amount: 1, dimensions: there }],
      false,
    ],
    "two that fit only in the other order": [
      [{ amount: 1, only: here }, { amount: 1 }],
      0,
      [
        { by: "a", amount: 1, dimensions: here },
        { by: "b", amount: 1, dimensions: there },
      ],
      true,
    ],
  };
  for (const [name, [given, allocated, reservations, isValid]] of Object.entries(cases)) {
    it(`${isValid ? "accepts" : "reports"} ${name}`, () => {
      const state = new StateFixture([reservationsFit]);
      const limit = given.reduce((sum, { amount }) => sum + amount, 0);
      state.put(grants, grant("g", given));
      state.put(buckets, bucket({ limit, allocated }));
      const violations = state.put(
        buckets,
        bucket({ limit, allocated, reservations, contributions: [["g", limit, 1]] }),
      );
      expect(violations.length === 0).toBe(isValid);
    });
  }

  it("reports a limit that no version of a grant gave", () => {
    const state = new StateFixture([reservationsFit]);
    state.put(grants, grant("g", [{ amount: 2 }], 1));
    state.put(grants, grant("g", [{ amount: 1 }], 2));
    const swap = (amount: number, generation: number): readonly string[] => {
      state.put(buckets, bucket({ limit: 0, allocated: 0 }));
      const reservations = [{ by: "a", amount }];
      return state.put(
        buckets,
        bucket({ limit: amount, allocated: 0, reservations, contributions: [["g", amount, generation]] }),
      );
    };
    expect(swap(2, 1)).toEqual([]);
    expect(swap(2, 2)).toHaveLength(1);
    expect(swap(9, 1)).toHaveLength(1);
  });
});

describe("I3, decisions are final,", () => {
  const both = [{ amount: 1 }, { type: "x/others", amount: 2 }];
  const reserved = (attempt: string, amount: number): ReservationInput => ({ by: "c", attempt, amount });
  const cases: Record<
    string,
    [things: readonly ReservationInput[], others: readonly ReservationInput[], isValid: boolean]
  > = {
    "all buckets have reservations of one attempt": [[reserved("s", 1)], [reserved("s", 2)], true],
    "one bucket has no reservation": [[reserved("s", 1)], [], false],
    "buckets have reservations of different attempts": [[reserved("s", 1)], [reserved("t", 2)], false],
    "a bucket has a smaller reservation": [[reserved("s", 1)], [reserved("s", 1)], false],
    "a bucket has a reservation of another claim": [[reserved("s", 1)], [{ ...reserved("s", 2), by: "d" }], false],
  };
  for (const [name, [things, others, isValid]] of Object.entries(cases)) {
    it(`${isValid ? "accepts" : "reports"} a grant when ${name}`, () => {
      const state = new StateFixture([decisionsAreFinal]);
      state.put(claims, claim("c", "pending", both));
      state.put(buckets, bucket({ limit: 9, allocated: 0, reservations: things }));
      state.put(buckets, bucket({ type: "x/others", limit: 9, allocated: 0, reservations: others }));
      expect(state.put(claims, claim("c", "granted", both)).length === 0).toBe(isValid);
    });
  }

  it("reports decisions that change and allocations that grow", () => {
    const state = new StateFixture([decisionsAreFinal]);
    state.put(buckets, bucket({ limit: 9, allocated: 0, reservations: [reserved("s", 2)] }));
    state.put(claims, claim("c", "granted", [{ amount: 2 }]));
    expect(state.put(claims, claim("c", "denied", [{ amount: 2 }]))).toHaveLength(1);
    expect(state.put(claims, claim("c", "granted", [{ amount: 2 }]))).not.toHaveLength(0);
    expect(state.put(claims, claim("c", "granted", [{ amount: 3 }]))).toHaveLength(1);
    expect(state.put(claims, claim("c", "pending", [{ amount: 2 }]))).toHaveLength(1);
  });
});

describe("I8, buckets stay within bounds,", () => {
  const many = (count: number): readonly ReservationInput[] =>
    Array.from({ length: count }, (_, at) => ({ by: `c${at}`, amount: 1 }));
  const cases: Record<string, [shown: BucketInput, isValid: boolean]> = {
    "the maximum of reservations": [{ limit: 0, allocated: 0, reservations: many(128) }, true],
    "one reservation more": [{ limit: 0, allocated: 0, reservations: many(129) }, false],
    "a wrong sum of reservations": [{ limit: 0, allocated: 0, reservations: many(2), more: { reserved: 1 } }, false],
    "a limit that is not the sum of its grants": [{ limit: 3, allocated: 0, contributions: [["g", 2, 1]] }, false],
    "reservations of two attempts for one claim": [
      {
        limit: 0,
        allocated: 0,
        reservations: [
          { by: "c", attempt: "s", amount: 1 },
          { by: "c", attempt: "t", amount: 1 },
        ],
      },
      false,
    ],
    "a reused writer stamp": [{ limit: 0, allocated: 1, writer: "w.1" }, false],
    "too many bytes": [{ limit: 0, allocated: 0, more: { padding: "x".repeat(64 * 1024) } }, false],
    "too many contributing grants": [
      { limit: 0, allocated: 0, contributions: Array.from({ length: 51 }, (_, at) => [`g${at}`, 0, 1] as const) },
      false,
    ],
  };
  for (const [name, [shown, isValid]] of Object.entries(cases)) {
    it(`${isValid ? "accepts" : "reports"} ${name}`, () => {
      const state = new StateFixture([bucketBounds]);
      state.put(buckets, bucket({ limit: 0, allocated: 0, writer: "w.1" }));
      expect(state.put(buckets, bucket(shown)).length === 0).toBe(isValid);
    });
  }
});
