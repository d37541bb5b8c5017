import { type FieldIssue, issueText, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { describe, expect, it } from "vitest";
import { parseAllowanceBucket } from "../allowance-bucket.ts";
import { parseClaimCreationPolicy } from "../claim-creation-policy.ts";
import { parseGrantCreationPolicy } from "../grant-creation-policy.ts";
import { parseResourceClaim } from "../resource-claim.ts";
import { parseResourceGrant } from "../resource-grant.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../resource-registration.ts";
import { claimFaults } from "./claim-faults.ts";
import { claimIssues, claimPolicyIssues, grantIssues, grantPolicyIssues } from "./object-rules.ts";
import { activeRegistration, type RegistrationView, registrationIssues } from "./registration-rules.ts";

type Json = Record<string, unknown>;

function parsed<Kind>(result: Parsed<Kind>): Kind {
  if (!result.ok) throw new Error(result.issues.map(issueText).join("\n"));
  return result.value;
}

const object = (kind: string, spec: Json, metadata: Json = {}): Json => ({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind,
  metadata: { name: "n", ...metadata },
  spec,
});

const project = { apiGroup: "resourcemanager.miloapis.com", kind: "Project" };
const organization = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" };
const acme = { ...organization, name: "acme" };

function registration(
  name: string,
  spec: Json,
  { active = true, created = "2026-01-01T00:00:00Z" } = {},
): ResourceRegistration {
  const condition = {
    type: "Active",
    status: active ? "True" : "False",
    reason: active ? "RegistrationActive" : "ValidationFailed",
    message: active ? "" : "something is off",
    lastTransitionTime: created,
  };
  const fields = { type: "Entity", baseUnit: "unit", consumerType: organization, ...spec };
  const value = {
    ...object("ResourceRegistration", fields, { name, creationTimestamp: created }),
    status: { conditions: [condition] },
  };
  return parsed(parseResourceRegistration(value));
}

function view(...registrations: ResourceRegistration[]): RegistrationView {
  return { byResourceType: (type) => registrations.filter((each) => each.resourceType === type) };
}

const texts = (issues: readonly FieldIssue[]): string[] => issues.map(issueText);

const everything = view(
  registration("projects", { resourceType: "projects", claimingResources: [project] }),
  registration("cpu", {
    resourceType: "cpu",
    type: "Allocation",
    dimensions: ["location", "type"],
    claimingResources: [project],
  }),
  registration("sso", { resourceType: "sso", type: "Feature" }),
  registration("broken", { resourceType: "broken" }, { active: false }),
  registration("users", { resourceType: "users", consumerType: project, claimingResources: [project] }),
);

describe("a registration beside others", () => {
  const older = registration("b", { resourceType: "x" }, { created: "2026-01-01T00:00:00Z" });
  const younger = registration("a", { resourceType: "x" }, { created: "2026-01-02T00:00:00Z" });

  it("gives way to an older one of the same resource type", () => {
    expect(texts(registrationIssues(younger, view(older, younger)))).toEqual([
      'spec.resourceType: Invalid value: "x": ResourceRegistration "b" registers this resourceType already',
    ]);
    expect(registrationIssues(older, view(older, younger))).toEqual([]);
  });

  it("of the same second gives way to the first by name", () => {
    const twin = registration("c", { resourceType: "x" }, { created: "2026-01-01T00:00:00Z" });
    expect(registrationIssues(twin, view(twin, older))).toHaveLength(1);
    expect(registrationIssues(older, view(twin, older))).toEqual([]);
  });

  it("does not mind itself", () => expect(registrationIssues(older, view(older))).toEqual([]));

  it("counts only when Active", () => {
    expect(activeRegistration(everything, "projects")?.metadata.name).toBe("projects");
    expect(activeRegistration(everything, "broken")).toBeUndefined();
    expect(activeRegistration(everything, "nothing")).toBeUndefined();
  });
});

describe("a claim beside registrations", () => {
  const claim = (requests: Json[], more: Json = {}): string[] => {
    const read = parsed(parseResourceClaim(object("ResourceClaim", { consumerRef: acme, requests, ...more })));
    return texts([...claimFaults(read), ...claimIssues(read, everything)]);
  };
  const resourceRef = { ...project, name: "web" };

  const cases: Record<string, [requests: Json[], more: Json, issues: string[]]> = {
    "is fine": [[{ resourceType: "projects", amount: 1 }], { resourceRef }, []],
    "may come from nothing but a hand": [[{ resourceType: "projects", amount: 1 }], {}, []],
    "may ask for what nobody registered": [
      [{ resourceType: "nothing", amount: 1 }],
      {},
      [
        'spec.requests[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
      ],
    ],
    "may ask for what is not Active": [
      [{ resourceType: "broken", amount: 1 }],
      {},
      [
        'spec.requests[0].resourceType: Invalid value: "broken": ResourceRegistration "broken" is not Active: something is off',
      ],
    ],
    "may be of the wrong consumer": [
      [{ resourceType: "users", amount: 1 }],
      {},
      [
        'spec.consumerRef: Invalid value: "Organization.resourcemanager.miloapis.com": "users" is granted to and used by Project.resourcemanager.miloapis.com',
      ],
    ],
    "may be for a kind that may not claim": [
      [{ resourceType: "projects", amount: 1 }],
      { resourceRef: { kind: "Pod", name: "p" } },
      [
        'spec.resourceRef: Forbidden: Pod may not claim "projects": add it to claimingResources of ResourceRegistration "projects"',
      ],
    ],
    "may be for a Feature": [
      [{ resourceType: "sso", amount: 1 }],
      { resourceRef },
      ['spec.requests[0].resourceType: Forbidden: "sso" is a Feature: its grants switch it on, nothing claims it'],
    ],
    "may give dimensions that nobody declared": [
      [{ resourceType: "cpu", amount: 1, dimensions: { location: "DFW", zone: "a" } }],
      {},
      ['spec.requests[0].dimensions: Invalid value: "zone": not a dimension of "cpu", which has location, type'],
    ],
    "may give dimensions where there are none": [
      [{ resourceType: "projects", amount: 1, dimensions: { zone: "a" } }],
      {},
      ['spec.requests[0].dimensions: Invalid value: "zone": not a dimension of "projects", which has none'],
    ],
    "may ask for nothing": [
      [{ resourceType: "projects", amount: 0 }],
      {},
      ["spec.requests[0].amount: Invalid value: 0: must be greater than 0: a claim asks for something"],
    ],
    "hears of everything at once": [
      [
        { resourceType: "nothing", amount: 0 },
        { resourceType: "projects", amount: 1, dimensions: { zone: "a" } },
      ],
      { resourceRef: { kind: "Pod", name: "p" } },
      [
        "spec.requests[0].amount: Invalid value: 0: must be greater than 0: a claim asks for something",
        'spec.requests[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
        'spec.resourceRef: Forbidden: Pod may not claim "projects": add it to claimingResources of ResourceRegistration "projects"',
        'spec.requests[1].dimensions: Invalid value: "zone": not a dimension of "projects", which has none',
      ],
    ],
  };
  for (const [name, [requests, more, issues]] of Object.entries(cases)) {
    it(name, () => expect(claim(requests, more)).toEqual(issues));
  }
});

describe("a grant beside registrations", () => {
  const grant = (allowances: Json[], consumerRef: Json = acme): string[] =>
    texts(grantIssues(parsed(parseResourceGrant(object("ResourceGrant", { consumerRef, allowances }))), everything));
  const buckets = [{ amount: 1 }];

  it("is fine, for a Feature too", () => {
    expect(
      grant([
        { resourceType: "projects", buckets },
        { resourceType: "sso", buckets },
      ]),
    ).toEqual([]);
  });

  it("names what is not registered, whose quota it is, and which dimensions there are", () => {
    const selector = { matchLabels: { zone: "a" }, matchExpressions: [{ key: "location", operator: "Exists" }] };
    expect(
      grant([
        { resourceType: "nothing", buckets },
        { resourceType: "users", buckets },
        { resourceType: "cpu", buckets: [{ amount: 1 }, { amount: 1, dimensionSelector: selector }] },
      ]),
    ).toEqual([
      'spec.allowances[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
      'spec.consumerRef: Invalid value: "Organization.resourcemanager.miloapis.com": "users" is granted to and used by Project.resourcemanager.miloapis.com',
      'spec.allowances[2].buckets[1].dimensionSelector: Invalid value: "zone": not a dimension of "cpu", which has location, type',
    ]);
  });
});

describe("a policy beside registrations", () => {
  const trigger = { resource: { apiVersion: "resourcemanager.miloapis.com/v1", kind: "Project" } };

  it("a claim policy is fine", () => {
    const spec = {
      trigger,
      target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: "projects", amount: 1 }] } } },
    };
    expect(
      claimPolicyIssues(parsed(parseClaimCreationPolicy(object("ClaimCreationPolicy", spec))), everything),
    ).toEqual([]);
  });

  it("a claim policy hears of every request", () => {
    const template = {
      consumerRef: { kind: "Namespace", name: "x" },
      requests: [
        { resourceType: "nothing", amount: 1 },
        { resourceType: "projects", amount: 1, dimensions: { zone: "a" } },
      ],
    };
    const spec = {
      trigger: { resource: { apiVersion: "v1", kind: "Pod" } },
      target: { resourceClaimTemplate: { spec: template } },
    };
    expect(
      texts(claimPolicyIssues(parsed(parseClaimCreationPolicy(object("ClaimCreationPolicy", spec))), everything)),
    ).toEqual([
      'spec.target.resourceClaimTemplate.spec.requests[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
      'spec.target.resourceClaimTemplate.spec.consumerRef: Invalid value: "Namespace": "projects" is granted to and used by Organization.resourcemanager.miloapis.com',
      'spec.trigger.resource: Forbidden: Pod may not claim "projects": add it to claimingResources of ResourceRegistration "projects"',
      'spec.target.resourceClaimTemplate.spec.requests[1].dimensions: Invalid value: "zone": not a dimension of "projects", which has none',
    ]);
  });

  it("a grant policy hears of every allowance", () => {
    const template = {
      consumerRef: { kind: "Namespace", name: "x" },
      allowances: [
        { resourceType: "nothing", buckets: [{ amount: 1 }] },
        { resourceType: "cpu", buckets: [{ amount: 1, dimensionSelector: { matchLabels: { zone: "a" } } }] },
      ],
    };
    const spec = { trigger, target: { resourceGrantTemplate: { spec: template } } };
    expect(
      texts(grantPolicyIssues(parsed(parseGrantCreationPolicy(object("GrantCreationPolicy", spec))), everything)),
    ).toEqual([
      'spec.target.resourceGrantTemplate.spec.allowances[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
      'spec.target.resourceGrantTemplate.spec.consumerRef: Invalid value: "Namespace": "cpu" is granted to and used by Organization.resourcemanager.miloapis.com',
      'spec.target.resourceGrantTemplate.spec.allowances[1].buckets[0].dimensionSelector: Invalid value: "zone": not a dimension of "cpu", which has location, type',
    ]);
  });
});

describe("what may not change", () => {
  const changes = (
    parser: (value: unknown, old?: unknown) => Parsed<unknown>,
    kind: string,
    before: Json,
    after: Json,
  ): string[] => {
    const result = parser(object(kind, after), object(kind, before));
    return result.ok ? [] : result.issues.map(issueText);
  };
  const base = { resourceType: "x", type: "Entity", baseUnit: "unit", consumerType: organization, dimensions: ["a"] };
  const registered = (after: Json, before: Json = base): string[] =>
    changes(parseResourceRegistration, "ResourceRegistration", before, after);
  const fixed = (name: string): string =>
    `spec.${name}: Forbidden: ${name} cannot change: grants and claims were made for it; register another resourceType`;

  const cases: Record<string, [after: Json, issues: string[]]> = {
    "nothing at all": [base, []],
    "the resource type": [{ ...base, resourceType: "y" }, [fixed("resourceType")]],
    "the type": [{ ...base, type: "Allocation" }, [fixed("type")]],
    "the base unit": [{ ...base, baseUnit: "byte" }, [fixed("baseUnit")]],
    "the consumer": [
      { ...base, consumerType: project },
      [
        "spec: Forbidden: the consumer type cannot change: grants and claims were made for it; register another resourceType",
      ],
    ],
    "a dimension, when taken away": [
      { ...base, dimensions: ["b"] },
      ["spec.dimensions: Forbidden: dimensions may be added but not taken away: grants and claims may use them"],
    ],
    "all at once": [
      { ...base, resourceType: "y", type: "Allocation", baseUnit: "byte" },
      [fixed("resourceType"), fixed("type"), fixed("baseUnit")],
    ],
  };
  for (const [name, [after, issues]] of Object.entries(cases)) {
    it(`of a registration: ${name}`, () => expect(registered(after)).toEqual(issues));
  }

  it("of a registration: what people read, who claims, and further dimensions may", () => {
    const after = {
      ...base,
      description: "d",
      displayUnit: "thing",
      unitConversionFactor: 2,
      claimingResources: [project],
      dimensions: ["b", "a"],
    };
    expect(registered(after)).toEqual([]);
  });

  it("of a registration: the spelling may, when the meaning stays", () => {
    const { consumerType, ...rest } = base;
    expect(registered({ ...rest, consumerTypeRef: consumerType })).toEqual([]);
    expect(registered({ ...rest, consumerTypeRef: project })).toHaveLength(1);
  });

  it("of a claim: its spec, all of it", () => {
    const spec = { consumerRef: acme, requests: [{ resourceType: "x", amount: 1 }] };
    expect(
      changes(parseResourceClaim, "ResourceClaim", spec, {
        ...spec,
        requests: [{ amount: 1, resourceType: "x" }],
      }),
    ).toEqual([]);
    expect(
      changes(parseResourceClaim, "ResourceClaim", spec, { ...spec, requests: [{ resourceType: "x", amount: 2 }] }),
    ).toEqual(["spec: Forbidden: a claim cannot be changed: delete it and make another"]);
  });

  it("of a claim: not even the order of its requests, which its allocations follow", () => {
    const [one, two] = [
      { resourceType: "x", amount: 1 },
      { resourceType: "y", amount: 1 },
    ];
    const spec = { consumerRef: acme, requests: [one, two] };
    expect(changes(parseResourceClaim, "ResourceClaim", spec, { ...spec, requests: [two, one] })).toEqual([
      "spec: Forbidden: a claim cannot be changed: delete it and make another",
    ]);
  });

  it("of a bucket: its spec", () => {
    const spec = { consumerRef: acme, resourceType: "x" };
    expect(changes(parseAllowanceBucket, "AllowanceBucket", spec, { ...spec, resourceType: "y" })).toEqual([
      "spec: Forbidden: the spec cannot be changed",
    ]);
  });

  it("of a grant: nothing in particular", () => {
    const spec = { consumerRef: acme, allowances: [{ resourceType: "x", buckets: [{ amount: 1 }] }] };
    expect(
      changes(parseResourceGrant, "ResourceGrant", spec, {
        ...spec,
        allowances: [{ resourceType: "y", buckets: [{ amount: 0 }] }],
      }),
    ).toEqual([]);
  });
});
