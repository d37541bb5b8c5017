import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { bucketNamespace } from "../../../core/resources/object-names.ts";
import { planeOfTenant } from "../../../views/tenant-planes.ts";
import { ownNamespace, requiredRights } from "./consumer-right.ts";

const planes = {
  root: "root",
  planeOf: planeOfTenant,
  bucketNamespace: (consumer: Parameters<typeof bucketNamespace>[0]) => bucketNamespace(consumer, () => true),
};

const tenants = "resourcemanager.miloapis.com";
const organization = { apiGroup: tenants, kind: "Organization", name: "globex" };
const project = { apiGroup: tenants, kind: "Project", name: "web" };
const team = { kind: "Namespace", name: "team" };
const tenant = { apiGroup: "x.io", kind: "Tenant", namespace: "team", name: "a" };
const user = { apiGroup: "iam.miloapis.com", kind: "User", name: "alice" };
const system = { kind: "Namespace", name: "milo-system" };

const object = (consumerRef: JsonObject, more: JsonObject = {}): JsonObject => ({
  metadata: {},
  spec: { consumerRef, ...more },
});

type Where = readonly [plane: string, namespace: string];

function change(kind: string, [plane, namespace]: Where, now: JsonObject, before?: JsonObject) {
  const group = "quota.miloapis.com";
  const admitted = { group, version: "v1alpha1", kind, plural: `${kind.toLowerCase()}s`, scope: "Namespaced" } as const;
  return { kind: admitted, plane, namespace, object: now, oldObject: before };
}

const textOf = (rights: ReturnType<typeof requiredRights>): readonly string[] =>
  rights.map(({ verb, consumer: { kind, name } }) => `${verb} ${kind} ${name}`);

describe("a new claim needs a right on its consumer", () => {
  const cases: Record<string, [plane: string, namespace: string, consumer: JsonObject, needed: boolean]> = {
    "not in the namespace that is the consumer": ["root", "team", team, false],
    "in another namespace": ["root", "other", team, true],
    "not in the namespace of a namespaced consumer": ["root", "team", tenant, false],
    "in another namespace than a namespaced consumer": ["root", "other", tenant, true],
    "not in the namespace of an organization": ["root", "organization-globex", organization, false],
    "in the namespace of another organization": ["root", "organization-acme", organization, true],
    "in a namespace of that name in a project": ["project-web", "organization-globex", organization, true],
    "not in the control plane of a project": ["project-web", "default", project, false],
    "in the control plane of another project": ["project-shop", "default", project, true],
    "for a project, in the root": ["root", "default", project, true],
    "in the system namespace of a project": ["project-web", "milo-system", project, true],
    "in the system namespace, for itself": ["root", "milo-system", system, true],
    "for a consumer that has no namespace": ["root", "milo-system", user, true],
    "for a consumer without a kind": ["root", "team", {}, true],
  };
  for (const [name, [plane, namespace, consumer, needed]] of Object.entries(cases)) {
    it(name, () => {
      expect(requiredRights(change("ResourceClaim", [plane, namespace], object(consumer)), planes)).toHaveLength(
        needed ? 1 : 0,
      );
    });
  }
});

describe("a change of a grant", () => {
  const [ours, theirs] = [object(team), object(organization)];
  const rights = (now: JsonObject, before: JsonObject | undefined) =>
    textOf(requiredRights(change("ResourceGrant", ["root", "team"], now, before), planes));

  it("needs the verb grant", () => {
    expect(rights(theirs, undefined)).toEqual(["grant Organization globex"]);
    expect(rights(object(organization, { expiresAt: "2026-01-01T00:00:00Z" }), theirs)).toEqual([
      "grant Organization globex",
    ]);
  });

  it("of metadata alone needs none", () => {
    expect(rights({ ...theirs, metadata: { labels: { a: "b" } } }, theirs)).toEqual([]);
  });

  it("of the consumer needs it on the former one, too", () => {
    expect(rights(ours, theirs)).toEqual(["grant Organization globex"]);
    expect(rights(object(user), theirs)).toEqual(["grant User alice", "grant Organization globex"]);
  });
});

it("other kinds need none", () => {
  expect(requiredRights(change("AllowanceBucket", ["root", "other"], object(team)), planes)).toEqual([]);
});

it("names the consumer's own namespace in a control plane, if it has one", () => {
  const ref = (consumer: object) => ({ apiGroup: "", namespace: "", name: "", kind: "", ...consumer });
  expect(ownNamespace(ref(organization), "root", planes)).toBe("organization-globex");
  expect(ownNamespace(ref(organization), "project-web", planes)).toBeUndefined();
  expect(ownNamespace(ref(team), "project-web", planes)).toBe("team");
  expect(ownNamespace(ref(user), "root", planes)).toBeUndefined();
  expect(ownNamespace(ref(project), "project-web", planes)).toBeUndefined();
});
