import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { ConsumerState, consumerId } from "@milo-quota/quota/controllers/writer/consumer-state.ts";
import { detectDrift } from "@milo-quota/quota/controllers/writer/drift-detection.ts";
import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { claim, decisionOf } from "./claims.ts";

let world: QuotaWorld;
const { signal } = new AbortController();
const key = { plane: "root", consumer: { ...organization, namespace: "", name: "acme" } };

/** A consumer state with all claims but these. */
function stateWithout(...names: readonly string[]): ConsumerState {
  const state = new ConsumerState(key);
  for (const [claimKey, record] of world.views.claims.entries()) {
    if (!names.includes(claimKey.name)) state.observe(claimKey, record);
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
    await world.eventually(async () => expect(await decisionOf(world, name)).toBe("True QuotaAvailable"));
  }
  await world.views.claims.waitUntilFresh(signal);
});

afterEach(() => world.stop());

describe("drift detection", () => {
  it("finds by how much a ledger differs from its claims", async () => {
    const states = new Map([[consumerId(key), stateWithout("two")]]);
    const drifts = await detectDrift(states, world.runtime, world.views, signal);
    expect(drifts.map(({ resourceType, by }) => [resourceType, by])).toEqual([["projects", 1n]]);
  });

  it("finds nothing in a complete state", async () => {
    expect(await detectDrift(new Map([[consumerId(key), stateWithout()]]), world.runtime, world.views, signal)).toEqual(
      [],
    );
  });

  it("does not take an outdated cache for drift", async () => {
    const state = stateWithout("two");
    const claims = {
      entries: () => world.views.claims.entries(),
      waitUntilFresh: async () => state.markGone("other"), // an event in flight arrives
    } as unknown as typeof world.views.claims;
    expect(await detectDrift(new Map([[consumerId(key), state]]), world.runtime, { claims }, signal)).toEqual([]);
  });
});
