import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { GrantController } from "@milo-quota/quota/controllers/grant-controller.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import { grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activeOf, grant, QuotaWorld, registration, type ShownCondition, startMs } from "./quota-world.ts";

let world: QuotaWorld;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
});
afterEach(() => world.stop());

const events: string[] = [];
const recorder = {
  record: (plane: string, { name }: { name: string }, { type, reason }: { type: string; reason: string }) => {
    events.push(`${plane}/${name} ${type} ${reason}`);
  },
};
beforeEach(() => {
  events.length = 0;
});

const startGrants = () => world.run(new GrantController(world.runtime, world.views, recorder));
const startRegistrations = () => world.run(new RegistrationController(world.runtime, world.views));
const shown = async (name: string, plane = "root"): Promise<ShownCondition | undefined> =>
  activeOf(await world.find(grantsType, name, { plane }));
const statusOf = async (name: string) =>
  (await world.find(grantsType, name))?.["status"] as { amounts?: string; observedGeneration?: number } | undefined;
const active = { status: "True", reason: "GrantActive", message: "ResourceGrant is active" };

describe("a grant", () => {
  it("is Active in any plane, shows readable amounts, and is written once", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("projects"));
    const storage = { type: "Allocation", baseUnit: "byte", displayUnit: "GiB", unitConversionFactor: 1 << 30 };
    await world.create(registrationsType, registration("storage", storage));
    const allowances = [
      { resourceType: "projects", buckets: [{ amount: 3 }, { amount: 2 }] },
      { resourceType: "storage", buckets: [{ amount: 5 * 2 ** 29 }] },
    ];
    await world.create(grantsType, grant("both", { allowances }));
    await world.create(grantsType, grant("elsewhere"), "project-a");
    await world.eventually(async () => {
      expect(await shown("both")).toEqual(active);
      expect(await shown("elsewhere", "project-a")).toEqual(active);
    });
    expect(await statusOf("both")).toMatchObject({ amounts: "5 projects, 2.5 GiB", observedGeneration: 1 });
    world.writes.length = 0;
    await world.pass(30_000);
    expect(world.writes).toEqual([]);
    expect(events.sort()).toEqual(["project-a/elsewhere Normal GrantActive", "root/both Normal GrantActive"]);
    expect(world.reported).toEqual([]);
  });

  it("reports all errors, and becomes Active when the registration is created", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("cpu", { dimensions: ["zone"] }));
    const buckets = [{ amount: 1, dimensionSelector: { matchLabels: { color: "red" } } }];
    const allowances = [
      { resourceType: "projects", buckets: [{ amount: 1 }] },
      { resourceType: "cpu", buckets },
    ];
    await world.create(grantsType, grant("g", { allowances }));
    await world.eventually(async () =>
      expect(await shown("g")).toEqual({
        status: "False",
        reason: "ValidationFailed",
        message:
          'spec.allowances[0].resourceType: Invalid value: "projects": no ResourceRegistration has this resourceType: ' +
          "register it first; spec.allowances[1].buckets[0].dimensionSelector: Invalid value: " +
          '"color": not a dimension of "cpu", which has zone',
      }),
    );
    expect((await statusOf("g"))?.amounts).toBe("1 projects, 1 project");
    await world.create(registrationsType, registration("projects"));
    await world.patch(registrationsType, "cpu", { spec: { dimensions: ["zone", "color"] } });
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    expect(events).toEqual(["root/g Warning ValidationFailed", "root/g Normal GrantActive"]);
    await world.delete(registrationsType, "projects");
    await world.eventually(async () => expect(await shown("g")).toMatchObject({ reason: "ValidationFailed" }));
  });

  it("is pending until its registration is reconciled", async () => {
    await world.create(registrationsType, registration("projects"));
    startGrants();
    await world.create(grantsType, grant("g"));
    await world.eventually(async () =>
      expect(await shown("g")).toMatchObject({ status: "Unknown", reason: "GrantPending" }),
    );
    startRegistrations();
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    expect(events).toEqual(["root/g Normal GrantActive"]);
  });

  it("expires on time, however far in the future, and becomes Active again when it is extended", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("projects"));
    const farMs = 3 * 24 * 3_600_000;
    const expiresAt = new Date(startMs + farMs).toISOString();
    await world.create(grantsType, grant("g", { expiresAt }));
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    // In steps, as timers have a maximum.
    while (world.clock.now() < startMs + farMs - 3_600_000) {
      world.clock.advance(1_800_000);
      await world.pass(100);
    }
    expect(await shown("g")).toEqual(active);
    world.clock.advance(startMs + farMs - world.clock.now());
    const expired = { status: "False", reason: "GrantExpired", message: `ResourceGrant expired at ${expiresAt}` };
    await world.eventually(async () => expect(await shown("g")).toEqual(expired), 5);
    await world.patch(grantsType, "g", { spec: { expiresAt: new Date(startMs + 2 * farMs).toISOString() } });
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    expect(events.map((event) => event.split(" ").at(-1))).toEqual(["GrantActive", "GrantExpired", "GrantActive"]);
  });

  it("is corrected soon after a clock jump", async () => {
    startRegistrations();
    let wrongByMs = 0;
    const { clock } = world;
    const set = { now: () => clock.now() + wrongByMs, after: clock.after.bind(clock) };
    world.run(new GrantController({ ...world.runtime, clock: set }, world.views, recorder));
    await world.create(registrationsType, registration("projects"));
    await world.create(grantsType, grant("g", { expiresAt: new Date(startMs + 3_600_000).toISOString() }));
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    wrongByMs = 3_700_000;
    await world.pass(301_000);
    expect(await shown("g")).toMatchObject({ reason: "GrantExpired" });
    wrongByMs = 0;
    await world.pass(301_000);
    expect(await shown("g")).toEqual(active);
  });

  it("is not Active while a finalizer delays its deletion", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("projects"));
    const held = grant("g");
    await world.create(grantsType, { ...held, metadata: { ...(held["metadata"] as object), finalizers: ["a.b/c"] } });
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    await world.delete(grantsType, "g");
    await world.eventually(async () => expect(await shown("g")).toMatchObject({ status: "False" }));
    expect((await shown("g"))?.message).toContain("being deleted");
  });

  it("keeps all other fields and retries conflicts silently", async () => {
    startRegistrations();
    await world.create(registrationsType, registration("projects"));
    const labelled = grant("g");
    const metadata = { ...(labelled["metadata"] as object), labels: { a: "b" }, finalizers: ["a.b/c"] };
    await world.create(grantsType, { ...labelled, metadata });
    let conflicts = 2;
    world.intercept = ({ path }) => {
      if (!path.endsWith("/resourcegrants/g/status") || conflicts === 0) return;
      conflicts -= 1;
      throw new StatusError(failure("Conflict", "concurrent write"));
    };
    startGrants();
    await world.eventually(async () => expect(await shown("g")).toEqual(active));
    expect(await world.find(grantsType, "g")).toMatchObject({
      metadata: { labels: { a: "b" }, finalizers: ["a.b/c"] },
      spec: labelled["spec"],
    });
    expect(world.reported).toEqual([]);
  });

  it("does not wait for grants that cannot be written, in its plane or another", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("projects"));
    world.intercept = ({ path, method }) => {
      if (method === "PUT" && path.startsWith("/planes/project-a")) throw new Error("the plane is down");
    };
    for (let at = 0; at < 40; at += 1) await world.create(grantsType, grant(`g${at}`), "project-a");
    await world.create(grantsType, grant("here"));
    await world.eventually(async () => expect(await shown("here")).toEqual(active));
    expect(world.reported.some((report) => /^grant project-a\/default\/g\d+: the plane is down$/.test(report))).toBe(
      true,
    );
    world.intercept = () => undefined;
    await world.eventually(async () => expect(await shown("g39", "project-a")).toEqual(active));
  });

  it("does not wait for a plane that does not answer", async () => {
    startRegistrations();
    startGrants();
    await world.create(registrationsType, registration("projects"));
    await world.eventually(() => expect(activeOfAll()).toEqual(["True"]));
    world.intercept = ({ path, method }) =>
      method === "PUT" && path.startsWith("/planes/project-a") ? new Promise<void>(() => undefined) : undefined;
    for (let at = 0; at < 40; at += 1) await world.create(grantsType, grant(`g${at}`), "project-a");
    await world.pass(1_000);
    await world.create(grantsType, grant("here"));
    await world.eventually(async () => expect(await shown("here")).toEqual(active), 200);
    world.intercept = () => undefined;
    await world.eventually(async () => expect(await shown("g39", "project-a")).toEqual(active), 1_200);
  });
});

const activeOfAll = (): (string | undefined)[] =>
  [...world.views.registrations.entries()].map(([, { status }]) => status.conditions?.[0]?.status);
