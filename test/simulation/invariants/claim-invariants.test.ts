import { beforeEach, describe, expect, it } from "vitest";
import { AdmissionHistory } from "./admission-history.ts";
import { AdmittedObjectsAreCounted, admissionViolations } from "./admitted-objects-are-counted.ts";
import { ClaimsOutliveObjects } from "./claims-outlive-objects.ts";
import { DenialsAreJustified } from "./denials-are-justified.ts";
import { PolicyHistory } from "./policy-history.ts";
import type { QuotaChange } from "./quota-truth.ts";
import {
  bucket,
  buckets,
  claim,
  claims,
  forObjects,
  grant,
  grants,
  policies,
  registration,
  registrations,
  StateFixture,
  thing,
  things,
} from "./state-fixture.ts";
import { transactionViolations } from "./transactions-are-atomic.ts";

const one = [{ amount: 1 }];

describe("I6, denials are justified,", () => {
  let state: StateFixture;
  let history: AdmissionHistory;
  const deny = (): readonly string[] => state.put(claims, claim("c", "denied", one));
  beforeEach(() => {
    history = new AdmissionHistory();
    state = new StateFixture([new DenialsAreJustified(1_000, history)]);
    state.put(registrations, registration());
    state.put(grants, grant("g", [{ amount: 1 }]));
  });

  it("reports a denied claim that always fitted", () => {
    state.put(claims, claim("c", "pending", one));
    expect(deny()).toHaveLength(1);
  });

  const reasons: Record<string, () => void> = {
    "another claim held it for a moment": () => {
      state.put(claims, claim("d", "granted", one));
      state.remove(claims, "d");
    },
    "it was reserved for another claim": () => {
      state.put(buckets, bucket({ limit: 1, allocated: 0, reservations: [{ by: "d", amount: 1 }] }));
      state.put(buckets, bucket({ limit: 1, allocated: 0 }));
    },
    "the bucket counted a deleted claim": () => {
      state.put(buckets, bucket({ limit: 1, allocated: 1 }));
    },
    "the grant was smaller for a moment": () => {
      state.put(grants, grant("g", [{ amount: 0 }], 2));
      state.put(grants, grant("g", [{ amount: 1 }], 3));
    },
    "the registration was inactive for a moment": () => {
      state.put(registrations, registration("x/things", false));
      state.put(registrations, registration());
    },
  };
  for (const [reason, happens] of Object.entries(reasons)) {
    it(`accepts a denial when ${reason}`, () => {
      state.put(claims, claim("c", "pending", one));
      happens();
      expect(deny()).toEqual([]);
    });
  }

  it("does not count the claim's own reservation against it", () => {
    state.put(claims, claim("c", "pending", one));
    state.put(buckets, bucket({ limit: 1, allocated: 0, reservations: [{ by: "c", amount: 1 }] }));
    expect(deny()).toHaveLength(1);
  });

  const early: Record<string, readonly [begunMs: number, violations: number]> = {
    "something changed since its admission request": [400, 0],
    "nothing changed since its admission request": [600, 1],
  };
  for (const [what, [begunMs, violations]] of Object.entries(early)) {
    it(`${violations === 0 ? "accepts" : "reports"} a denial before the claim is stored if ${what}`, () => {
      state.nowMs = 500;
      state.put(grants, grant("g", [{ amount: 1 }], 2));
      history.decisionStarted("t", begunMs);
      state.nowMs = 700;
      state.put(claims, claim("c", "pending", one, forObjects("t")));
      expect(state.put(claims, claim("c", "denied", one, forObjects("t")))).toHaveLength(violations);
    });
  }

  it("treats a grant as expired if it is expired by the fastest clock", () => {
    const expiring = (atMs: number): readonly string[] => {
      state.put(grants, grant("g", [{ amount: 1 }], 2, { expiresAt: new Date(atMs).toISOString() }));
      state.put(claims, claim("c", "pending", one));
      const violations = deny();
      state.remove(claims, "c");
      return violations;
    };
    expect(expiring(1_500)).toHaveLength(1);
    expect(expiring(500)).toEqual([]);
  });
});

describe("I4, I5 and I7, admitted objects,", () => {
  let history: AdmissionHistory;
  let state: StateFixture;
  const policy = (text: string) => ({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "things", uid: "p" },
    spec: { text },
  });
  beforeEach(() => {
    history = new AdmissionHistory();
    const policyHistory = new PolicyHistory();
    const invariants = [
      new AdmittedObjectsAreCounted(history, policyHistory),
      new ClaimsOutliveObjects(history, policyHistory),
    ];
    state = new StateFixture(invariants, (change) => policyHistory.take(change));
    state.put(policies, policy("first"));
    state.nowMs = 10;
    state.put(claims, claim("c", "granted", one, forObjects("t")));
    history.objectAdmitted("t", [{ uid: "c", policy: "things" }], 0);
  });

  it("accept objects while a granted claim lists them", () => {
    expect(state.put(things, thing("t"))).toEqual([]);
    expect(state.put(claims, claim("c", "granted", one, forObjects("t", "t")))).toEqual([]);
  });

  it("report objects that no granted claim lists", () => {
    state.put(claims, claim("c", "granted", one, forObjects("another")));
    expect(state.put(things, thing("t"))).toHaveLength(1);
    state.put(claims, claim("c", "granted", one, forObjects("t")));
    expect(state.put(claims, claim("c", "pending", one, forObjects("t")))).toHaveLength(1);
  });

  it("report a deleted claim whose object exists or may still be stored", () => {
    expect(state.remove(claims, "c")).toHaveLength(1);
    state.put(claims, claim("c", "granted", one, forObjects("t")));
    state.put(things, thing("t"));
    history.objectSettled("t");
    expect(state.remove(claims, "c")).toHaveLength(2);
  });

  it("accept a deleted claim if the object is gone, the policy has changed, or an actor deleted the claim", () => {
    history.objectSettled("t");
    expect(state.remove(claims, "c")).toEqual([]);
    state.put(claims, claim("c", "granted", one, forObjects("t")));
    state.put(things, thing("t"));
    state.nowMs = 20;
    state.put(policies, policy("second"));
    expect(state.remove(claims, "c")).toEqual([]);
    state.nowMs = 30;
    state.put(claims, claim("d", "granted", one, forObjects("t")));
    history.claimDeletedByActor("d");
    expect(state.remove(claims, "d")).toEqual([]);
  });

  it("report an admission by a claim that is not granted, does not list the object, or is gone", () => {
    const violations = (uid: string, by: string): readonly string[] => [
      ...admissionViolations(uid, [{ uid: by, policy: "things" }], state.truth),
    ];
    state.put(claims, claim("p", "pending", one, forObjects("t")));
    expect(violations("t", "c")).toEqual([]);
    expect(violations("u", "c")).toHaveLength(1);
    expect(violations("t", "p")).toHaveLength(1);
    expect(violations("t", "gone")).toHaveLength(1);
  });
});

describe("I13, a transaction", () => {
  /** Violations of a transaction with these writes. */
  function faultsOf(write: (state: StateFixture) => void): readonly string[] {
    const changes: QuotaChange[] = [];
    const state = new StateFixture([], (change) => changes.push(change));
    state.put(grants, grant("g", [{ amount: 2 }]));
    state.put(buckets, bucket({ limit: 2, allocated: 1, contributions: [["g", 2, 1]] }));
    state.put(claims, claim("old", "granted", one, forObjects("o", "o")));
    state.put(things, thing("o"));
    changes.length = 0;
    write(state);
    return [...transactionViolations(changes, state.truth)];
  }
  const counting = (allocated: number) => bucket({ limit: 2, allocated, contributions: [["g", 2, 1]] });
  const born = (amount = 1) => claim("c", "granted", [{ amount }], forObjects("t", "t"));
  const cases: Record<string, readonly [write: (state: StateFixture) => void, violations: number]> = {
    "of bucket, claim and object": [
      (state) => {
        state.put(buckets, counting(2));
        state.put(claims, born());
        state.put(things, thing("t"));
      },
      0,
    ],
    "without the bucket": [
      (state) => {
        state.put(claims, born());
        state.put(things, thing("t"));
      },
      1,
    ],
    "without the object": [
      (state) => {
        state.put(buckets, counting(2));
        state.put(claims, born());
      },
      1,
    ],
    "whose claim does not fit": [
      (state) => {
        state.put(buckets, counting(3));
        state.put(claims, born(2));
        state.put(things, thing("t"));
      },
      1,
    ],
    "that deletes object and claim and updates the bucket": [
      (state) => {
        state.remove(things, "o");
        state.remove(claims, "old");
        state.put(buckets, counting(0));
      },
      0,
    ],
    "that deletes object and claim and leaves the bucket": [
      (state) => {
        state.remove(things, "o");
        state.remove(claims, "old");
      },
      1,
    ],
    "of one pending claim": [(state) => state.put(claims, claim("d", "pending", one)), 0],
  };
  for (const [what, [write, violations]] of Object.entries(cases)) {
    it(`${what} is ${violations === 0 ? "accepted" : "reported"}`, () => {
      expect(faultsOf(write)).toHaveLength(violations);
    });
  }
});
describe("I7, manual claims,", () => {
  it("may be deleted only by their creators", () => {
    const history = new AdmissionHistory();
    const state = new StateFixture([new ClaimsOutliveObjects(history, new PolicyHistory())]);
    state.put(claims, claim("mine", "denied", one));
    expect(state.remove(claims, "mine")).toHaveLength(1);
    state.put(claims, claim("mine", "denied", one));
    history.claimDeletedByActor("mine");
    expect(state.remove(claims, "mine")).toEqual([]);
  });
});
