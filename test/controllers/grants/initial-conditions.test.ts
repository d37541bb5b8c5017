import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { GrantController } from "@milo-quota/quota/controllers/grant-controller.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import { resourceGrantDefinition } from "@milo-quota/quota/core/resources/resource-grant.ts";
import { resourceRegistrationDefinition } from "@milo-quota/quota/core/resources/resource-registration.ts";
import { grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definitions } from "../../api-client/kinds.ts";
import { activeOf, grant, type Json, QuotaWorld, registration, startMs } from "./quota-world.ts";

const bornRegistration = { status: "False", reason: "RegistrationPending", message: "Awaiting validation" };
const bornGrant = {
  status: "Unknown",
  reason: "GrantPending",
  message: "Awaiting validation by its registrations",
};

let world: QuotaWorld;
beforeEach(async () => {
  world = await QuotaWorld.start();
});
afterEach(() => world.stop());

const startControllers = (): void => {
  world.run(new RegistrationController(world.runtime, world.views));
  world.run(new GrantController(world.runtime, world.views));
};
const shown = async () => ({
  registration: activeOf(await world.find(registrationsType, "projects")),
  grant: activeOf(await world.find(grantsType, "g")),
});
const createBoth = async (): Promise<void> => {
  await world.create(registrationsType, registration("projects"));
  await world.create(grantsType, grant("g"));
};
const since = async (object: Promise<Json | undefined>): Promise<readonly string[]> => {
  const { status } = (await object) as { status: { conditions: { lastTransitionTime: string }[] } };
  return status.conditions.map(({ lastTransitionTime }) => lastTransitionTime);
};

/** Paths of all status writes. */
const statusWrites = (): readonly string[] =>
  world.writes.filter((write) => write.endsWith("/status")).map((write) => write.split("/").at(-2) ?? "");

/** Serves a kind with or without the default status of its schema. */
async function serve(kind: KindDefinition, hasDefault: boolean): Promise<void> {
  const name = `${kind.plural}.${kind.group}`;
  const stored = (await world.find(definitions, name)) as Json & { spec: Json & { versions: Json[] } };
  const [version] = stored.spec.versions as [Json & { schema: { openAPIV3Schema: { properties: Json } } }];
  const { properties } = version.schema.openAPIV3Schema;
  const { default: _default, ...status } = properties["status"] as Json;
  const given = kind.schema.properties?.["status"]?.default;
  const openAPIV3Schema = {
    ...version.schema.openAPIV3Schema,
    properties: { ...properties, status: hasDefault ? { ...status, default: given } : status },
  };
  const versions = [{ ...version, schema: { openAPIV3Schema } }];
  await world
    .resource(definitions)
    .update({ ...stored, spec: { ...stored.spec, versions } } as never, {}, new AbortController().signal);
}

describe("a registration and a grant", () => {
  it("are created as pending", async () => {
    const created = await world.create(registrationsType, registration("projects"));
    expect(activeOf(created as Json)).toEqual(bornRegistration);
    expect(activeOf((await world.create(grantsType, grant("g"))) as Json)).toEqual(bornGrant);
    await world.pass(1_000);
    expect(await shown()).toEqual({ registration: bornRegistration, grant: bornGrant });
  });

  it("get one status write with a current transition time", async () => {
    startControllers();
    await world.create(registrationsType, registration("projects"));
    await world.eventually(async () => expect((await shown()).registration?.reason).toBe("RegistrationActive"));
    await world.create(grantsType, grant("g"));
    await world.eventually(async () => expect((await shown()).grant?.reason).toBe("GrantActive"));
    await world.pass(200_000);
    expect(statusWrites()).toEqual(["projects", "g"]);
    for (const object of [world.find(registrationsType, "projects"), world.find(grantsType, "g")]) {
      const times = await since(object);
      expect(times).toHaveLength(1);
      expect(Date.parse(times[0] as string)).toBeGreaterThanOrEqual(startMs);
    }
  });

  it("have the transition time of an error", async () => {
    await world.create(registrationsType, registration("projects"));
    startControllers();
    await world.eventually(async () => expect((await shown()).registration?.status).toBe("True"));
    await world.create(registrationsType, registration("younger", { resourceType: "projects" }));
    const younger = () => world.find(registrationsType, "younger");
    await world.eventually(async () => expect(activeOf(await younger())?.reason).toBe("ValidationFailed"));
    expect(Date.parse((await since(younger()))[0] as string)).toBeGreaterThanOrEqual(startMs);
  });

  it("that were stored without a status are pending and reconciled", async () => {
    const kinds = [resourceRegistrationDefinition, resourceGrantDefinition];
    for (const kind of kinds) await serve(kind, false);
    await world.eventually(async () => {
      const created = await world.create(registrationsType, registration(`probe-${world.clock.now()}`));
      expect(created["status"]).toBeUndefined();
    });
    await createBoth();
    expect(await shown()).toEqual({ registration: undefined, grant: undefined });
    for (const kind of kinds) await serve(kind, true);
    await world.eventually(async () =>
      expect(await shown()).toEqual({ registration: bornRegistration, grant: bornGrant }),
    );
    startControllers();
    await world.eventually(async () =>
      expect(await shown()).toMatchObject({ registration: { status: "True" }, grant: { status: "True" } }),
    );
  });

  it("that are served without a default status are reconciled", async () => {
    for (const kind of [resourceRegistrationDefinition, resourceGrantDefinition]) await serve(kind, false);
    await world.pass(1_000);
    await createBoth();
    startControllers();
    await world.eventually(async () =>
      expect(await shown()).toMatchObject({ registration: { status: "True" }, grant: { status: "True" } }),
    );
    world.writes.length = 0;
    await world.pass(200_000);
    expect(world.writes).toEqual([]);
  });
});
