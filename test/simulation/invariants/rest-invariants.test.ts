import { beforeEach, describe, expect, it } from "vitest";
import { layout, planes } from "../world/layout.ts";
import { AdmissionBook } from "./admission-book.ts";
import { restFaults, shownFaults } from "./at-rest.ts";
import { bindingFaults, type Governance } from "./bound-once.ts";
import {
  claim,
  claims,
  forObjects,
  grant,
  grantPolicies,
  grants,
  ownedBy,
  Planted,
  page,
  pages,
  policies,
  registration,
  registrations,
  total,
  totals,
} from "./checking.ts";
import { policyGrantFaults } from "./policy-grants.ts";
import { PolicyHistory } from "./policy-history.ts";

const two = [{ amount: 2 }];

describe("at rest", () => {
  let planted: Planted;
  const faults = (): readonly string[] => [
    ...restFaults(planted.truth, planted.nowMs),
    ...shownFaults(planted.truth, planted.nowMs),
  ];
  beforeEach(() => {
    planted = new Planted([]);
    planted.put(registrations, registration());
    planted.put(grants, grant("g", [{ amount: 5 }]));
    planted.put(claims, claim("c", "granted", two));
    planted.put(pages, page({ limit: 5, allocated: 2, shares: [["g", 5, 1]], more: { claimCount: 1 } }));
    planted.put(totals, total({ limit: 5, allocated: 2 }));
  });

  it("accepts pages and totals that say what a recount says", () => {
    expect(faults()).toEqual([]);
  });

  const mistakes: Record<string, [plant: () => void, reported: RegExp]> = {
    "a claim that is still pending": [() => planted.put(claims, claim("d", "pending", two)), /still pending/],
    "a claim called invalid that is not": [() => planted.put(claims, claim("d", "invalid", two)), /called invalid/],
    "a claim that is still being deleted": [
      () => planted.put(claims, claim("d", "denied", two, { deletionTimestamp: "2026-01-01T00:00:00Z" })),
      /being deleted/,
    ],
    "an automatic claim that was denied": [
      () => planted.put(claims, claim("d", "denied", two, forObjects("t"))),
      /denied long ago/,
    ],
    "an automatic claim that is bound to nothing": [
      () => planted.put(claims, claim("d", "granted", [{ amount: 0 }], forObjects("t"))),
      /bound to nothing/,
    ],
    "a claim whose only owner never came": [
      () => planted.put(claims, claim("d", "granted", [{ amount: 0 }], { ...forObjects("t"), ...ownedBy("t") })),
      /is for t, which is gone/,
    ],
    "a claim of several objects that is owned by one": [
      () => planted.put(claims, claim("d", "granted", [{ amount: 0 }], { ...forObjects("t,u"), ...ownedBy("t") })),
      /bound to nothing/,
    ],
    "a claim whose object is gone": [
      () => planted.put(claims, claim("d", "granted", [{ amount: 0 }], forObjects("t", "t"))),
      /which is gone/,
    ],
    "a promise": [
      () => planted.put(pages, page({ limit: 5, allocated: 2, promised: [{ by: "x", amount: 1 }] })),
      /still promises/,
    ],
    "a page that counts too much": [() => planted.put(pages, page({ limit: 5, allocated: 3 })), /allocated is 3/],
    "a page with a limit of before": [() => planted.put(pages, page({ limit: 4, allocated: 2 })), /limit is 4/],
    "a limit that has expired": [
      () => planted.put(grants, grant("g", [{ amount: 5 }], 1, { expiresAt: "1970-01-01T00:00:00Z" })),
      /limit is 5, a recount says 0/,
    ],
    "a limit of what is not registered": [
      () => planted.put(registrations, registration("x/things", false)),
      /limit is 5, a recount says 0/,
    ],
    "a page of nobody": [
      () => {
        planted.remove(claims, "c");
        planted.remove(grants, "g");
      },
      /no grant and no claim/,
    ],
    "a total that says something else": [() => planted.put(totals, total({ limit: 5, allocated: 1 })), /total of/],
    "a total that is missing": [() => planted.remove(totals, "total"), /total of .* is missing/],
  };
  for (const [name, [plant, reported]] of Object.entries(mistakes)) {
    it(`reports ${name}`, () => {
      plant();
      expect(faults().join("\n")).toMatch(reported);
    });
  }

  it("reports a page and a bucket that are missing", () => {
    planted.put(registrations, registration("x/others"));
    planted.put(grants, grant("h", [{ type: "x/others", amount: 1 }]));
    expect(faults().join("\n")).toMatch(/page .* x\/others is missing/);
    planted.put(claims, claim("d", "granted", [{ amount: 1, dimensions: { place: "here" } }]));
    expect(faults().join("\n")).toMatch(/place=here is missing/);
  });
});

describe("objects at rest", () => {
  let planted: Planted;
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
  const faults = (): readonly string[] => [...bindingFaults(planted.truth, governance)];
  beforeEach(() => {
    const history = new PolicyHistory();
    planted = new Planted([], (change) => history.take(change));
    governance = { layout, root: "root", book: new AdmissionBook(), policies: history, unsureMs: 1_000 };
  });

  const cases: Record<
    string,
    [adopts: "Ignore" | "Adopt", isReady: boolean, counted: string, createdMs: number, must: boolean]
  > = {
    "an object that came after the policy": ["Ignore", true, "yes", 5_000, true],
    "an object that came before it": ["Ignore", true, "yes", -5_000, false],
    "an object of before that is adopted": ["Adopt", true, "yes", -5_000, true],
    "an object that the policy is not about": ["Adopt", true, "no", 5_000, false],
    "any object while the policy does not work": ["Adopt", false, "yes", 5_000, false],
  };
  for (const [name, [adopts, isReady, counted, createdMs, must]] of Object.entries(cases)) {
    it(`${must ? "demands" : "demands no"} claim for ${name}`, () => {
      planted.put(policies, policy(adopts, isReady));
      planted.put("things.example.com", thing(counted, createdMs));
      expect(faults()).toHaveLength(must ? 1 : 0);
      planted.put(claims, claim("c", "granted", [{ amount: 1 }], forObjects("t", "t")));
      expect(faults()).toEqual([]);
    });
  }

  it("demands a claim for what was let in by one, and reports two", () => {
    planted.put(policies, policy("Ignore", true));
    planted.put("things.example.com", thing("yes", 0));
    expect(faults()).toEqual([]);
    governance.book.allowed("t", [{ uid: "c", policy: "things" }], 0);
    expect(faults()).toHaveLength(1);
    planted.put(claims, claim("c", "granted", [{ amount: 1 }], forObjects("t", "t")));
    planted.put(claims, claim("d", "granted", [{ amount: 1 }], forObjects("t", "t")));
    expect(faults()).toEqual([expect.stringMatching(/bound by 2/), expect.stringMatching(/hold 2/)]);
  });

  it("demands none where somebody deleted the claim, and the policy is at work for a shorter time", () => {
    planted.put(policies, policy("Ignore", true));
    planted.put("things.example.com", thing("yes", 0));
    governance.book.allowed("t", [{ uid: "c", policy: "things" }], 0);
    governance.book.endedByHand("c");
    expect(faults()).toEqual([]);
  });

  it("demands that claims hold what an object needs, of which there may be several once it was changed", () => {
    planted.put(policies, policy("Adopt", true));
    planted.put("things.example.com", thing("yes", 0));
    governance.book.edited("t");
    planted.put(claims, claim("c", "granted", [{ amount: 2 }], forObjects("t", "t")));
    expect(faults()).toEqual([expect.stringMatching(/needs 1 .* hold 2/)]);
    planted.put(claims, claim("c", "granted", [{ amount: 0 }], forObjects("t", "t")));
    planted.put(claims, claim("d", "granted", [{ amount: 1 }], forObjects("t", "t")));
    expect(faults()).toEqual([]);
  });
});

describe("grant policies at rest", () => {
  let planted: Planted;
  const faults = (): readonly string[] => [...policyGrantFaults(planted.truth, { layout, planes })];
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
  const made = (amount: number) => {
    const plain = grant("made", [{ amount }]);
    const annotations = { "quota.miloapis.com/policy": "bonus" };
    return { ...plain, metadata: { ...(plain["metadata"] as object), annotations } };
  };
  beforeEach(() => {
    planted = new Planted([]);
    planted.put(grantPolicies, policy());
    planted.put("things.example.com", trigger);
    planted.put(grants, made(2));
  });

  it("accepts grants as they are wanted, and those of people", () => {
    planted.put(grants, grant("of-somebody", [{ amount: 7 }]));
    expect(faults()).toEqual([]);
  });

  const mistakes: Record<string, [plant: () => void, reported: RegExp]> = {
    "a grant that is missing": [() => planted.remove(grants, "made"), /missing/],
    "a grant that gives something else": [() => planted.put(grants, made(3)), /gives .* 3/],
    "a grant whose object is gone": [() => planted.remove("things.example.com", "t"), /no policy wants it/],
    "a grant whose policy is switched off": [() => planted.put(grantPolicies, policy({ disabled: true })), /no policy/],
    "a grant whose policy is gone": [() => planted.remove(grantPolicies, "bonus"), /no policy wants it/],
  };
  for (const [name, [plant, reported]] of Object.entries(mistakes)) {
    it(`reports ${name}`, () => {
      plant();
      expect(faults()).toEqual([expect.stringMatching(reported)]);
    });
  }

  it("demands nothing of a policy that does not work", () => {
    planted.put(grantPolicies, policy({ status: "False" }));
    planted.remove("things.example.com", "t");
    expect(faults()).toEqual([]);
  });
});
