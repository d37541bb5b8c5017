import { describe, expect, it } from "vitest";
import { amountOf } from "../resources/fields/amount.ts";
import { type GrantOrigin, isUpToDate, originId, originIn, tracedGrant } from "./grant-origin.ts";
import type { RenderedGrant } from "./grant-policy.ts";

const auto = { "quota.miloapis.com/auto-created": "true" };
const rendered: RenderedGrant = {
  name: "g",
  namespace: "default",
  labels: { ...auto, tier: "gold" },
  annotations: { note: "x" },
  consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "n" },
  allowances: [{ resourceType: "cpu", buckets: [{ amount: amountOf(3), selector: { matchLabels: { zone: "a" } } }] }],
  parent: undefined,
};

const project = { apiGroup: "resourcemanager.miloapis.com", kind: "Project" };
const origins: Record<string, GrantOrigin> = {
  "in no namespace of the root": { policyPlane: "", policy: "p", kind: project, plane: "", namespace: "", name: "x" },
  "of the core group": {
    policyPlane: "",
    policy: "p",
    kind: { apiGroup: "", kind: "Pod" },
    plane: "",
    namespace: "n",
    name: "x",
  },
  "of policies in other planes": {
    policyPlane: "a",
    policy: "p.q",
    kind: project,
    plane: "a",
    namespace: "n",
    name: "x.y",
  },
};

describe("the origin of a grant", () => {
  for (const [name, origin] of Object.entries(origins)) {
    it(`is read back from its annotations: objects ${name}`, () => {
      const { labels, annotations } = tracedGrant(rendered, origin, "uid");
      expect(originIn({ labels, annotations })).toEqual(origin);
    });
  }

  it("differs for another object, plane or policy", () => {
    const all = Object.values(origins).flatMap((origin) => [
      origin,
      { ...origin, plane: "z" },
      { ...origin, policyPlane: "z" },
      { ...origin, name: "z" },
      { ...origin, namespace: "z" },
      { ...origin, kind: { ...origin.kind, kind: "Z" } },
    ]);
    expect(new Set(all.map(originId)).size).toBe(all.length);
  });

  it("cannot be set by a template", () => {
    const origin = origins["in no namespace of the root"] as GrantOrigin;
    const forged = {
      "quota.miloapis.com/resource-plane": "z",
      "quota.miloapis.com/resource-namespace": "z",
      "quota.miloapis.com/policy-plane": "z",
      "quota.miloapis.com/policy": "z",
    };
    const { labels, annotations } = tracedGrant({ ...rendered, annotations: forged }, origin, "uid");
    expect(originIn({ labels, annotations })).toEqual(origin);
  });

  it("is undefined for grants that users created", () => {
    const { annotations } = tracedGrant(rendered, origins["of the core group"] as GrantOrigin, "uid");
    expect(originIn({})).toBeUndefined();
    expect(originIn({ labels: auto })).toBeUndefined();
    expect(originIn({ annotations })).toBeUndefined();
  });
});

describe("a stored grant", () => {
  const origin = origins["of the core group"] as GrantOrigin;
  const wanted = tracedGrant(rendered, origin, "uid");
  const stored = {
    metadata: { labels: wanted.labels, annotations: wanted.annotations },
    consumer: wanted.consumer,
    allowances: wanted.allowances,
    expiresAt: undefined,
  };
  const amount = (value: number) => [
    { resourceType: "cpu", buckets: [{ amount: amountOf(value), selector: { matchLabels: { zone: "a" } } }] },
  ];
  const cases: Record<string, [isUpToDate: boolean, stored: Parameters<typeof isUpToDate>[0], wanted?: RenderedGrant]> =
    {
      "is up to date as it was made": [true, stored],
      "is so with notes of others on it": [
        true,
        { ...stored, metadata: { labels: { mine: "x" }, annotations: { ...wanted.annotations, mine: "x" } } },
      ],
      "is not with another amount": [false, { ...stored, allowances: amount(4) }],
      "is not with another consumer": [false, { ...stored, consumer: { ...stored.consumer, name: "other" } }],
      "is not when it expires": [false, { ...stored, expiresAt: "2030-01-01T00:00:00Z" }],
      "is not when its policy gives other labels": [
        false,
        stored,
        tracedGrant({ ...rendered, labels: { ...auto, tier: "silver" } }, origin, "uid"),
      ],
      "is not when its object was made anew": [false, stored, tracedGrant(rendered, origin, "another")],
      "is so whatever order labels come in": [
        true,
        stored,
        tracedGrant({ ...rendered, labels: { tier: "gold", ...auto } }, origin, "uid"),
      ],
    };
  for (const [name, [expected, given, to = wanted]] of Object.entries(cases)) {
    it(name, () => expect(isUpToDate(given, to)).toBe(expected));
  }
});
