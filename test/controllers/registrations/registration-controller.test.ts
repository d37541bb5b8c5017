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
const active = {
  status: "True",
  reason: "RegistrationActive",
  message: "The registration is active and resource grants and claims can now be created for this resource type.",
};

describe("a registration", () => {
  it("is Active, shows its consumer type for both spellings, and is written once", async () => {
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

  it("reports a consumer kind that is not served, until it is", async () => {
    start();
    await world.create(registrationsType, registration("projects"));
    const warning =
      " Warning: the API server does not serve its consumer kind Organization.resourcemanager.miloapis.com.";
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

  it("is Active even if discovery fails", async () => {
    world.intercept = ({ path }) => {
      if (path === "/api") throw new Error("discovery is down");
    };
    start();
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
    expect(world.reported).toContain("registration pods, looking up its consumer kind: discovery is down");
  });

  it("is inactive while an older one has the same resource type", async () => {
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

  it("is reconciled by the next leader", async () => {
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    world.intercept = ({ path }) => {
      if (path.endsWith("/status")) throw new Error("no response");
    };
    const first = start();
    await world.eventually(() => expect(world.reported).toContain("registration pods: no response"));
    await first.stop();
    world.intercept = () => undefined;
    start();
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
  });

  it("does not wait for another one that cannot be written", async () => {
    world.intercept = ({ path }) => {
      if (path.endsWith("/broken/status")) throw new Error("no response");
    };
    start();
    await world.create(registrationsType, registration("broken", { consumerType: namespaceType }));
    await world.create(registrationsType, registration("pods", { consumerType: namespaceType }));
    await world.eventually(async () => expect(await shown("pods")).toEqual(active));
    expect(await shown("broken")).toMatchObject({ reason: "RegistrationPending" });
  });
});
