import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Controllers } from "../../../src/controllers/controllers.ts";
import { claimsType, grantsType, registrationsType } from "../../../src/controllers/quota-types.ts";
import { audit } from "../../../src/controllers/writer/audit.ts";
import { Desk, deskId } from "../../../src/controllers/writer/desk.ts";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { answerTo, claim } from "./claims.ts";

let world: QuotaWorld;
const { signal } = new AbortController();
const key = { plane: "root", consumer: { ...organization, namespace: "", name: "acme" } };

/** A desk that knows of all claims but those that are left out. */
function deskWithout(...names: readonly string[]): Desk {
  const desk = new Desk(key);
  for (const [place, record] of world.views.claims.entries()) {
    if (!names.includes(place.name)) desk.observe(place, record);
  }
  return desk;
}

beforeEach(async () => {
  world = await QuotaWorld.start();
  const controllers = new Controllers({ runtime: world.runtime, leadership: "alone" });
  controllers.start();
  world.run(controllers);
  await world.create(registrationsType, registration("projects"));
  await world.create(grantsType, grant("three"));
  for (const name of ["one", "two"]) {
    await world.create(claimsType, claim(name));
    await world.eventually(async () => expect(await answerTo(world, name)).toBe("True QuotaAvailable"));
  }
  await world.views.claims.fresh(signal);
});

afterEach(() => world.stop());

describe("the audit of claims", () => {
  it("finds by how much a desk is wrong", async () => {
    const desks = new Map([[deskId(key), deskWithout("two")]]);
    const drifts = await audit(desks, world.runtime, world.views, signal);
    expect(drifts.map(({ resourceType, by }) => [resourceType, by])).toEqual([["projects", 1n]]);
  });

  it("finds nothing where all claims are known", async () => {
    expect(await audit(new Map([[deskId(key), deskWithout()]]), world.runtime, world.views, signal)).toEqual([]);
  });

  it("takes no view that is late for a mistake", async () => {
    const desk = deskWithout("two");
    const claims = {
      entries: () => world.views.claims.entries(),
      fresh: async () => desk.gone("somebody"), // what was under way arrives
    } as unknown as typeof world.views.claims;
    expect(await audit(new Map([[deskId(key), desk]]), world.runtime, { claims }, signal)).toEqual([]);
  });
});
