import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import { registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activeOf, organization, QuotaWorld, registration, type ShownCondition } from "../grants/quota-world.ts";

const namespaceType = { apiGroup: "", kind: "Namespace" };
const definitionsType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
} as const;

let world: QuotaWorld;

beforeEach(async () => {
  world = await QuotaWorld.start();
});
afterEach(() => world.stop());

const shown = async (name: string): Promise<ShownCondition | undefined> =>
  activeOf(await world.find(registrationsType, name));
const start = () => world.run(new RegistrationController(world.runtime, world.views));
const active = { status: "True", reason: "RegistrationActive", message: "ResourceRegistration is active" };

describe("a registration", () => {
  it("is Active, shows its consumer type however it is spelled, and is written once", async () => {
    start();
    const spec = { consumerType: undefined, consumerTypeRef: namespaceType };
    await world.create(registrationsType, registration("pods", spec));
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
    const { status } = (await world.find(registrationsType, "pods")) as { status: Record<string, unknown> };
    expect(status).toMatchObject({ observedGeneration: 1, consumerType: namespaceType });
    world.writes.length = 0;
    await world.pass(200_000);
    expect(world.writes).toEqual([]);
    expect(world.reported).toEqual([]);
  });

  it("says so when its consumer kind is not served, until it is", async () => {
    start();
    await world.create(registrationsType, registration("projects"));
    const warning = "; warning: no API server here serves its consumer kind, Organization.resourcemanager.miloapis.com";
    await world.eventually(async () =>
      expect(await shown("projects")).toEqual({ ...active, message: active.message + warning }),
    );
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await world.create(definitionsType, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `organizations.${organization.apiGroup}` },
      spec: {
        group: organization.apiGroup,
        scope: "Cluster",
        names: { kind: "Organization", plural: "organizations", singular: "organization" },
        versions: [{ name: "v1alpha1", served: true, storage: true, schema }],
      },
    });
    await world.eventually(async () => expect(await shown("projects")).toEqual(active), 1_200);
  });

  it("is Active even if nobody can tell which kinds are served", async () => {
    world.meddle = ({ path }) => {
      if (path === "/api") throw new Error("discovery is down");
    };
    start();
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
    expect(world.reported).toContain("registration pods, looking for its consumer kind: discovery is down");
  });

  it("gives way to an older one of the same resource type, and takes its place when that goes", async () => {
    start();
    const pods = { resourceType: "pods", consumerType: namespaceType };
    await world.create(registrationsType, registration("first", pods));
    await world.pass(2_000);
    await world.create(registrationsType, registration("another", pods));
    await world.create(registrationsType, registration("third", pods));
    const detail = 'ResourceRegistration "first" registers this resourceType already';
    const message = `spec.resourceType: Invalid value: "pods": ${detail}`;
    await world.eventually(async () => {
      expect(await shown("first")).toEqual(active);
      expect(await shown("another")).toEqual({ status: "False", reason: "ValidationFailed", message });
      expect(await shown("third")).toMatchObject({ status: "False" });
    });
    await world.delete(registrationsType, "first");
    await world.eventually(async () => {
      expect(await shown("another")).toEqual(active);
      expect((await shown("third"))?.message).toContain('"another" registers');
    });
  });

  it("is seen to by whoever comes next, wherever the one before stopped", async () => {
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    world.meddle = ({ path }) => {
      if (path.endsWith("/status")) throw new Error("no answer");
    };
    const first = start();
    await world.eventually(() => expect(world.reported).toContain("registration pods: no answer"));
    await first.stop();
    world.meddle = () => undefined;
    start();
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
  });

  it("does not wait for another that cannot be written", async () => {
    world.meddle = ({ path }) => {
      if (path.endsWith("/broken/status")) throw new Error("no answer");
    };
    start();
    await world.create(registrationsType, registration("broken", { consumerType: namespaceType }));
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
    expect(await shown("broken")).toMatchObject({ reason: "RegistrationPending" });
  });
});
