import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { audit } from "@milo-quota/quota/controllers/writer/audit.ts";
import { ConsumerState, consumerId } from "@milo-quota/quota/controllers/writer/consumer-state.ts";
import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { answerTo, claim } from "./claims.ts";

let world: QuotaWorld;
const { signal } = new AbortController();
const key = { plane: "root", consumer: { ...organization, namespace: "", name: "acme" } };

/** A consumer of whom all claims are known of all claims but those that are left out. */
function stateWithout(...names: readonly string[]): ConsumerState {
  const state = new ConsumerState(key);
  for (const [place, record] of world.views.claims.entries()) {
    if (!names.includes(place.name)) state.observe(place, record);
  }
  return state;
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
  it("finds by how much the counts of a consumer are wrong", async () => {
    const states = new Map([[consumerId(key), stateWithout("two")]]);
    const drifts = await audit(states, world.runtime, world.views, signal);
    expect(drifts.map(({ resourceType, by }) => [resourceType, by])).toEqual([["projects", 1n]]);
  });

  it("finds nothing where all claims are known", async () => {
    expect(await audit(new Map([[consumerId(key), stateWithout()]]), world.runtime, world.views, signal)).toEqual([]);
  });

  it("takes no view that is late for a mistake", async () => {
    const state = stateWithout("two");
    const claims = {
      entries: () => world.views.claims.entries(),
      fresh: async () => state.gone("somebody"), // what was under way arrives
    } as unknown as typeof world.views.claims;
    expect(await audit(new Map([[consumerId(key), state]]), world.runtime, { claims }, signal)).toEqual([]);
  });
});
