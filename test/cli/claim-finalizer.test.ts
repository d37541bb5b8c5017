import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, FrontDoor } from "../up/front-door.ts";
import { CliWorld } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";
import { configMap, grant, policy, registration } from "./map-quota.ts";

let world: CliWorld;
beforeAll(async () => {
  world = await CliWorld.build();
}, 60_000);
afterAll(() => world?.stop());

const claimsPath = "/apis/quota.miloapis.com/v1alpha1/namespaces/default/resourceclaims";
const finalizer = "quota.miloapis.com/resource-claim-cleanup";

describe("milo-quota up --claim-finalizer", () => {
  it("keeps the claim of an object that is there, whoever deletes it, and lets it go with the object", async () => {
    await world.up(["--claim-finalizer"]);
    const hands = new ClusterHands(world.kubeconfig);
    const door = FrontDoor.byKubeconfig(world.kubeconfig);
    const claims = async () => (await door.get(claimsPath)).body.items;
    for (const [manifest, condition] of [
      [registration, "Active"],
      [grant, "Active"],
      [policy, "Ready"],
    ] as const) {
      expect(await hands.create(manifest)).toEqual([]);
      await hands.until(manifest, holds(condition));
    }
    expect(await hands.create(configMap)).toEqual([]);
    await eventually(async () => expect((await claims())[0].metadata.finalizers).toEqual([finalizer]));
    const [{ metadata }] = await claims();
    expect((await door.remove(`${claimsPath}/${metadata.name}`)).code).toBe(200);
    const [kept] = await claims();
    expect([kept.metadata.uid, kept.metadata.deletionTimestamp !== undefined]).toEqual([metadata.uid, true]);
    await hands.remove(configMap);
    await door.gone(`${claimsPath}/${metadata.name}`);
    await Promise.all([hands.close(), door.close()]);
  }, 60_000);
});
