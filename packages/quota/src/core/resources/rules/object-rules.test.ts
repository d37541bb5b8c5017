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

describe("a registration", () => {
  const older = registration("b", { resourceType: "x" }, { created: "2026-01-01T00:00:00Z" });
  const younger = registration("a", { resourceType: "x" }, { created: "2026-01-02T00:00:00Z" });

  it("is invalid if an older one has the same resource type", () => {
    expect(texts(registrationIssues(younger, view(older, younger)))).toEqual([
      'spec.resourceType: Invalid value: "x": ResourceRegistration "b" registers this resourceType already',
    ]);
    expect(registrationIssues(older, view(older, younger))).toEqual([]);
  });

  it("of the same second is invalid unless it is the first by name", () => {
    const twin = registration("c", { resourceType: "x" }, { created: "2026-01-01T00:00:00Z" });
    expect(registrationIssues(twin, view(twin, older))).toHaveLength(1);
    expect(registrationIssues(older, view(twin, older))).toEqual([]);
  });

  it("is valid by itself", () => expect(registrationIssues(older, view(older))).toEqual([]));

  it("counts only when Active", () => {
    expect(activeRegistration(everything, "projects")?.metadata.name).toBe("projects");
    expect(activeRegistration(everything, "broken")).toBeUndefined();
    expect(activeRegistration(everything, "nothing")).toBeUndefined();
  });
});

describe("a claim, given the registrations", () => {
  const claim = (requests: Json[], more: Json = {}): string[] => {
    const read = parsed(parseResourceClaim(object("ResourceClaim", { consumerRef: acme, requests, ...more })));
    return texts([...claimFaults(read), ...claimIssues(read, everything)]);
  };
  const resourceRef = { ...project, name: "web" };

  const cases: Record<string, [requests: Json[], more: Json, issues: string[]]> = {
    "is valid": [[{ resourceType: "projects", amount: 1 }], { resourceRef }, []],
    "is valid without a resourceRef": [[{ resourceType: "projects", amount: 1 }], {}, []],
    "must request a registered resource type": [
      [{ resourceType: "nothing", amount: 1 }],
      {},
      [
        'spec.requests[0].resourceType: Invalid value: "nothing": no ResourceRegistration has this resourceType: register it first',
      ],
    ],
    "must request an Active registration": [
      [{ resourceType: "broken", amount: 1 }],
      {},
      [
        'spec.requests[0].resourceType: Invalid value: "broken": ResourceRegistration "broken" is not Active: something is off',
      ],
    ],
    "must have a consumer of the registered kind": [
      [{ resourceType: "users", amount: 1 }],
      {},
      [
        'spec.consumerRef: Invalid value: "Organization.resourcemanager.miloapis.com": "users" is granted to and used by Project.resourcemanager.miloapis.com',
      ],
    ],
    "must be for a kind that may claim": [
      [{ resourceType: "projects", amount: 1 }],
      { resourceRef: { kind: "Pod", name: "p" } },
      [
        'spec.resourceRef: Forbidden: Pod may not claim "projects": add it to claimingResources of ResourceRegistration "projects"',
      ],
    ],
    "cannot be for a Feature": [
      [{ resourceType: "sso", amount: 1 }],
      { resourceRef },
      ['spec.requests[0].resourceType: Forbidden: "sso" is a Feature: grants switch it on, and it cannot be claimed'],
    ],
    "cannot have unknown dimensions": [
      [{ resourceType: "cpu", amount: 1, dimensions: { location: "DFW", zone: "a" } }],
      {},
      ['spec.requests[0].dimensions: Invalid value: "zone": not a dimension of "cpu", which has location, type'],
    ],
    "cannot have dimensions if the registration has none": [
      [{ resourceType: "projects", amount: 1, dimensions: { zone: "a" } }],
      {},
      ['spec.requests[0].dimensions: Invalid value: "zone": not a dimension of "projects", which has none'],
    ],
    "cannot request 0": [
      [{ resourceType: "projects", amount: 0 }],
      {},
      ["spec.requests[0].amount: Invalid value: 0: must be greater than 0"],
    ],
    "has all its issues reported at once": [
      [
        { resourceType: "nothing", amount: 0 },
        { resourceType: "projects", amount: 1, dimensions: { zone: "a" } },
      ],
      { resourceRef: { kind: "Pod", name: "p" } },
      [
        "spec.requests[0].amount: Invalid value: 0: must be greater than 0",
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

describe("a grant, given the registrations", () => {
  const grant = (allowances: Json[], consumerRef: Json = acme): string[] =>
    texts(grantIssues(parsed(parseResourceGrant(object("ResourceGrant", { consumerRef, allowances }))), everything));
  const buckets = [{ amount: 1 }];

  it("is valid, for a Feature too", () => {
    expect(
      grant([
        { resourceType: "projects", buckets },
        { resourceType: "sso", buckets },
      ]),
    ).toEqual([]);
  });

  it("has issues for unregistered resource types, other consumers and unknown dimensions", () => {
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

describe("a policy, given the registrations", () => {
  const trigger = { resource: { apiVersion: "resourcemanager.miloapis.com/v1", kind: "Project" } };

  it("a claim policy is valid", () => {
    const spec = {
      trigger,
      target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: "projects", amount: 1 }] } } },
    };
    expect(
      claimPolicyIssues(parsed(parseClaimCreationPolicy(object("ClaimCreationPolicy", spec))), everything),
    ).toEqual([]);
  });

  it("a claim policy has issues for every request", () => {
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

  it("a grant policy has issues for every allowance", () => {
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

describe("immutable fields", () => {
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
    `spec.${name}: Forbidden: ${name} is immutable, because grants and claims refer to it: register another resourceType`;

  const cases: Record<string, [after: Json, issues: string[]]> = {
    "nothing at all": [base, []],
    "the resource type": [{ ...base, resourceType: "y" }, [fixed("resourceType")]],
    "the type": [{ ...base, type: "Allocation" }, [fixed("type")]],
    "the base unit": [{ ...base, baseUnit: "byte" }, [fixed("baseUnit")]],
    "the consumer": [
      { ...base, consumerType: project },
      [
        "spec: Forbidden: the consumer type is immutable, because grants and claims refer to it: register another resourceType",
      ],
    ],
    "a dimension, when taken away": [
      { ...base, dimensions: ["b"] },
      ["spec.dimensions: Forbidden: dimensions can be added but not removed, because grants and claims may use them"],
    ],
    "all at once": [
      { ...base, resourceType: "y", type: "Allocation", baseUnit: "byte" },
      [fixed("resourceType"), fixed("type"), fixed("baseUnit")],
    ],
  };
  for (const [name, [after, issues]] of Object.entries(cases)) {
    it(`of a registration: ${name}`, () => expect(registered(after)).toEqual(issues));
  }

  it("of a registration do not include texts, claiming resources and further dimensions", () => {
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

  it("of a registration do not include the alias of the consumer type", () => {
    const { consumerType, ...rest } = base;
    expect(registered({ ...rest, consumerTypeRef: consumerType })).toEqual([]);
    expect(registered({ ...rest, consumerTypeRef: project })).toHaveLength(1);
  });

  it("of a claim are its whole spec", () => {
    const spec = { consumerRef: acme, requests: [{ resourceType: "x", amount: 1 }] };
    expect(
      changes(parseResourceClaim, "ResourceClaim", spec, {
        ...spec,
        requests: [{ amount: 1, resourceType: "x" }],
      }),
    ).toEqual([]);
    expect(
      changes(parseResourceClaim, "ResourceClaim", spec, { ...spec, requests: [{ resourceType: "x", amount: 2 }] }),
    ).toEqual(["spec: Forbidden: a claim is immutable: delete it and create another"]);
  });

  it("of a claim include the order of its requests, which its allocations follow", () => {
    const [one, two] = [
      { resourceType: "x", amount: 1 },
      { resourceType: "y", amount: 1 },
    ];
    const spec = { consumerRef: acme, requests: [one, two] };
    expect(changes(parseResourceClaim, "ResourceClaim", spec, { ...spec, requests: [two, one] })).toEqual([
      "spec: Forbidden: a claim is immutable: delete it and create another",
    ]);
  });

  it("of a bucket are its spec", () => {
    const spec = { consumerRef: acme, resourceType: "x" };
    expect(changes(parseAllowanceBucket, "AllowanceBucket", spec, { ...spec, resourceType: "y" })).toEqual([
      "spec: Forbidden: the spec is immutable",
    ]);
  });

  it("of a grant are none", () => {
    const spec = { consumerRef: acme, allowances: [{ resourceType: "x", buckets: [{ amount: 1 }] }] };
    expect(
      changes(parseResourceGrant, "ResourceGrant", spec, {
        ...spec,
        allowances: [{ resourceType: "y", buckets: [{ amount: 0 }] }],
      }),
    ).toEqual([]);
  });
});
