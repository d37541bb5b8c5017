import { beforeEach, describe, expect, it } from "vitest";
import { layout, planes } from "../world/layout.ts";
import { AdmissionHistory } from "./admission-history.ts";
import { bindingViolations, type Governance } from "./bound-once.ts";
import { policyGrantViolations } from "./policy-grants.ts";
import { PolicyHistory } from "./policy-history.ts";
import { displayedFigureViolations, quiescenceViolations } from "./quiescence.ts";
import {
  bucket,
  buckets,
  claim,
  claims,
  effectiveGrant,
  effectiveGrants,
  forObjects,
  grant,
  grantPolicies,
  grants,
  ownedBy,
  policies,
  registration,
  registrations,
  StateFixture,
} from "./state-fixture.ts";

const two = [{ amount: 2 }];

describe("I9, a settled world,", () => {
  let state: StateFixture;
  const violations = (): readonly string[] => [
    ...quiescenceViolations(state.truth, state.nowMs),
    ...displayedFigureViolations(state.truth, state.nowMs),
  ];
  beforeEach(() => {
    state = new StateFixture([]);
    state.put(registrations, registration());
    state.put(grants, grant("g", [{ amount: 5 }]));
    state.put(claims, claim("c", "granted", two));
    state.put(buckets, bucket({ limit: 5, allocated: 2, contributions: [["g", 5, 1]], more: { claimCount: 1 } }));
    state.put(effectiveGrants, effectiveGrant({ limit: 5, allocated: 2 }));
  });

  it("accepts buckets and effective grants that equal a recount", () => {
    expect(violations()).toEqual([]);
  });

  const mistakes: Record<string, [write: () => void, reported: RegExp]> = {
    "a claim that is still pending": [() => state.put(claims, claim("d", "pending", two)), /still pending/],
    "a valid claim that is marked invalid": [() => state.put(claims, claim("d", "invalid", two)), /marked invalid/],
    "a claim that is still being deleted": [
      () => state.put(claims, claim("d", "denied", two, { deletionTimestamp: "2026-01-01T00:00:00Z" })),
      /being deleted/,
    ],
    "an automatic claim that was denied": [
      () => state.put(claims, claim("d", "denied", two, forObjects("t"))),
      /denied long ago/,
    ],
    "an automatic claim that is not bound": [
      () => state.put(claims, claim("d", "granted", [{ amount: 0 }], forObjects("t"))),
      /not bound/,
    ],
    "a claim whose only owner was never stored": [
      () => state.put(claims, claim("d", "granted", [{ amount: 0 }], { ...forObjects("t"), ...ownedBy("t") })),
      /is for object t, which does not exist/,
    ],
    "a claim of several objects that is owned by one": [
      () => state.put(claims, claim("d", "granted", [{ amount: 0 }], { ...forObjects("t,u"), ...ownedBy("t") })),
      /not bound/,
    ],
    "a claim whose object is gone": [
      () => state.put(claims, claim("d", "granted", [{ amount: 0 }], forObjects("t", "t"))),
      /which does not exist/,
    ],
    "a reservation": [
      () => state.put(buckets, bucket({ limit: 5, allocated: 2, reservations: [{ by: "x", amount: 1 }] })),
      /still has 1 reservations/,
    ],
    "a bucket that counts too much": [() => state.put(buckets, bucket({ limit: 5, allocated: 3 })), /allocated is 3/],
    "a bucket with a stale limit": [() => state.put(buckets, bucket({ limit: 4, allocated: 2 })), /limit is 4/],
    "a limit of an expired grant": [
      () => state.put(grants, grant("g", [{ amount: 5 }], 1, { expiresAt: "1970-01-01T00:00:00Z" })),
      /limit is 5, a recount gives 0/,
    ],
    "a limit of an inactive registration": [
      () => state.put(registrations, registration("x/things", false)),
      /limit is 5, a recount gives 0/,
    ],
    "a bucket without grants and claims": [
      () => {
        state.remove(claims, "c");
        state.remove(grants, "g");
      },
      /no grant and no claim/,
    ],
    "a wrong effective grant": [
      () => state.put(effectiveGrants, effectiveGrant({ limit: 5, allocated: 1 })),
      /effective grant of/,
    ],
    "a missing effective grant": [() => state.remove(effectiveGrants, "total"), /effective grant of .* is missing/],
  };
  for (const [name, [write, reported]] of Object.entries(mistakes)) {
    it(`reports ${name}`, () => {
      write();
      expect(violations().join("\n")).toMatch(reported);
    });
  }

  it("reports a missing ledger bucket and a missing dimension bucket", () => {
    state.put(registrations, registration("x/others"));
    state.put(grants, grant("h", [{ type: "x/others", amount: 1 }]));
    expect(violations().join("\n")).toMatch(/bucket .* x\/others is missing/);
    state.put(claims, claim("d", "granted", [{ amount: 1, dimensions: { place: "here" } }]));
    expect(violations().join("\n")).toMatch(/place=here is missing/);
  });
});

describe("I10, governed objects in a settled world,", () => {
  let state: StateFixture;
  let governance: Governance;
  const policy = (existingObjects: "Ignore" | "Adopt", isReady: boolean) => ({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "things", uid: "p" },
    spec: {
      existingObjects,
      trigger: {
        resource: { apiVersion: "example.com/v1", kind: "Thing" },
        constraints: [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }],
      },
      target: {
        resourceClaimTemplate: {
          spec: {
            consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" },
            requests: [{ resourceType: "x/things", amount: 1 }],
          },
        },
      },
    },
    status: {
      conditions: [
        {
          type: "Ready",
          status: isReady ? "True" : "False",
          reason: isReady ? "PolicyReady" : "ValidationFailed",
          message: "",
          lastTransitionTime: "1970-01-01T00:00:00Z",
        },
      ],
    },
  });
  const thing = (counted: string, createdMs: number) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: {
      name: "t",
      namespace: "default",
      uid: "t",
      labels: { counted },
      creationTimestamp: new Date(createdMs).toISOString(),
    },
  });
  const violations = (): readonly string[] => [...bindingViolations(state.truth, governance)];
  beforeEach(() => {
    const policyHistory = new PolicyHistory();
    state = new StateFixture([], (change) => policyHistory.take(change));
    governance = {
      layout,
      root: "root",
      history: new AdmissionHistory(),
      policies: policyHistory,
      policyDelayMsMax: 1_000,
    };
  });

  const cases: Record<
    string,
    [adopts: "Ignore" | "Adopt", isReady: boolean, counted: string, createdMs: number, must: boolean]
  > = {
    "an object that is newer than the policy": ["Ignore", true, "yes", 5_000, true],
    "an object that is older than the policy": ["Ignore", true, "yes", -5_000, false],
    "an older object that the policy adopts": ["Adopt", true, "yes", -5_000, true],
    "an object that the policy does not match": ["Adopt", true, "no", 5_000, false],
    "any object while the policy is not ready": ["Adopt", false, "yes", 5_000, false],
  };
  for (const [name, [adopts, isReady, counted, createdMs, must]] of Object.entries(cases)) {
    it(`${must ? "must have a" : "need no"} claim for ${name}`, () => {
      state.put(policies, policy(adopts, isReady));
      state.put("things.example.com", thing(counted, createdMs));
      expect(violations()).toHaveLength(must ? 1 : 0);
      state.put(claims, claim("c", "granted", [{ amount: 1 }], forObjects("t", "t")));
      expect(violations()).toEqual([]);
    });
  }

  it("must have exactly one claim for an admitted object", () => {
    state.put(policies, policy("Ignore", true));
    state.put("things.example.com", thing("yes", 0));
    expect(violations()).toEqual([]);
    governance.history.objectAdmitted("t", [{ uid: "c", policy: "things" }], 0);
    expect(violations()).toHaveLength(1);
    state.put(claims, claim("c", "granted", [{ amount: 1 }], forObjects("t", "t")));
    state.put(claims, claim("d", "granted", [{ amount: 1 }], forObjects("t", "t")));
    expect(violations()).toEqual([expect.stringMatching(/bound by 2/), expect.stringMatching(/hold 2/)]);
  });

  it("need no claim after an actor deleted it, if the object is older than the policy", () => {
    state.put(policies, policy("Ignore", true));
    state.put("things.example.com", thing("yes", 0));
    governance.history.objectAdmitted("t", [{ uid: "c", policy: "things" }], 0);
    governance.history.claimDeletedByActor("c");
    expect(violations()).toEqual([]);
  });

  it("must have claims that sum to what an edited object needs", () => {
    state.put(policies, policy("Adopt", true));
    state.put("things.example.com", thing("yes", 0));
    governance.history.objectEdited("t");
    state.put(claims, claim("c", "granted", [{ amount: 2 }], forObjects("t", "t")));
    expect(violations()).toEqual([expect.stringMatching(/needs 1 .* hold 2/)]);
    state.put(claims, claim("c", "granted", [{ amount: 0 }], forObjects("t", "t")));
    state.put(claims, claim("d", "granted", [{ amount: 1 }], forObjects("t", "t")));
    expect(violations()).toEqual([]);
  });
});

describe("I9, grant policies in a settled world,", () => {
  let state: StateFixture;
  const violations = (): readonly string[] => [...policyGrantViolations(state.truth, { layout, planes })];
  const policy = (more: { readonly disabled?: boolean; readonly status?: "True" | "False" } = {}) => ({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "GrantCreationPolicy",
    metadata: { name: "bonus", uid: "b" },
    spec: {
      disabled: more.disabled ?? false,
      trigger: {
        resource: { apiVersion: "example.com/v1", kind: "Thing" },
        constraints: [{ expression: 'trigger.metadata.labels["org"] != ""' }],
      },
      target: {
        resourceGrantTemplate: {
          metadata: { name: "made", namespace: "milo-system" },
          spec: {
            consumerRef: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", name: "acme" },
            allowances: [{ resourceType: "x/things", buckets: [{ amount: 2 }] }],
          },
        },
      },
    },
    status: {
      conditions: [
        {
          type: "Ready",
          status: more.status ?? "True",
          reason: "PolicyReady",
          message: "",
          lastTransitionTime: "1970-01-01T00:00:00Z",
        },
      ],
    },
  });
  const trigger = {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "t", namespace: "default", uid: "t", labels: { org: "acme" } },
  };
  const created = (amount: number) => {
    const plain = grant("made", [{ amount }]);
    const annotations = { "quota.miloapis.com/policy": "bonus" };
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: "t" }];
    return { ...plain, metadata: { ...(plain["metadata"] as object), annotations, ownerReferences } };
  };
  beforeEach(() => {
    state = new StateFixture([]);
    state.put(grantPolicies, policy());
    state.put("things.example.com", trigger);
    state.put(grants, created(2));
  });

  it("accept grants of a disabled or deleted policy whose object exists", () => {
    state.put(grantPolicies, policy({ disabled: true }));
    expect(violations()).toEqual([]);
    state.remove(grantPolicies, "bonus");
    expect(violations()).toEqual([]);
  });

  it("accept rendered grants and manual grants", () => {
    state.put(grants, grant("manual", [{ amount: 7 }]));
    expect(violations()).toEqual([]);
  });

  const mistakes: Record<string, [write: () => void, reported: RegExp]> = {
    "a missing grant": [() => state.remove(grants, "made"), /missing/],
    "a grant with another amount": [() => state.put(grants, created(3)), /gives .* 3/],
    "a grant whose object is gone": [() => state.remove("things.example.com", "t"), /no policy renders it/],
    "a grant whose policy is disabled and whose object is gone": [
      () => {
        state.put(grantPolicies, policy({ disabled: true }));
        state.remove("things.example.com", "t");
      },
      /no policy renders it/,
    ],
    "a grant whose policy and object are gone": [
      () => {
        state.remove(grantPolicies, "bonus");
        state.remove("things.example.com", "t");
      },
      /no policy renders it/,
    ],
  };
  for (const [name, [write, reported]] of Object.entries(mistakes)) {
    it(`reports ${name}`, () => {
      write();
      expect(violations()).toEqual([expect.stringMatching(reported)]);
    });
  }

  it("ignore policies that are not ready", () => {
    state.put(grantPolicies, policy({ status: "False" }));
    state.remove("things.example.com", "t");
    expect(violations()).toEqual([]);
  });
});
