import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { configMap, configMaps } from "../../api-client/kinds.ts";
import type { DiskState } from "./disk.ts";
import { preparedRecords } from "./prepared-records.ts";
import { SimulatedWorld, serverName } from "./simulated-world.ts";
import { Trace } from "./trace.ts";
import type { Host, Lodger } from "./world.ts";

const { signal } = new AbortController();
const nothing = (): void => undefined;

async function worldWith(lodger: Lodger, disk: DiskState = "good"): Promise<SimulatedWorld> {
  const world = new SimulatedWorld(1, {
    records: await preparedRecords(),
    trace: new Trace("hash only"),
    isSteady: true,
    isEmbedded: true,
  });
  world.lodge(lodger);
  world.disk.state = disk;
  world.later(0, nothing); // it takes something to happen for a world to begin
  await world.pass(0, nothing);
  return world;
}

function clientOf({ transport }: Host): ResourceClient<JsonObject> {
  return new KubeClient(transport).resource(configMaps, anyObject);
}

describe("a program in the process of the server", () => {
  it("is ready before anybody reaches the server, in every life of it", async () => {
    const lives: string[] = [];
    const world = await worldWith(async ({ clock, incarnation }) => {
      lives.push(incarnation);
      await new Promise<void>((resolve) => clock.after(50, resolve));
    });
    const isServing: boolean[] = [];
    const look = async (afterMs: number): Promise<void> => {
      await world.pass(afterMs, nothing);
      isServing.push(world.server.isServing);
    };
    await look(40);
    await look(20);
    world.machine(serverName).crash(100);
    await look(140);
    await look(20);
    expect(isServing).toEqual([false, true, false, true]);
    expect(lives).toEqual(["apiserver-1", "apiserver-2"]);
  });

  it("hears nothing any more when the server crashes", async () => {
    const heard: string[] = [];
    const world = await worldWith(async (host) => {
      const created = clientOf(host).create(configMap("default", host.incarnation, {}), {}, signal);
      void created.then(
        () => heard.push(host.incarnation),
        () => heard.push(`${host.incarnation} fails`),
      );
    }, "slow");
    await world.pass(40, nothing);
    world.machine(serverName).crash(100);
    world.disk.state = "good";
    await world.pass(3_000, nothing);
    expect(heard).toEqual(["apiserver-2"]);
    expect(world.truth.list({ resource: "configmaps" }).map(({ key }) => key.name)).toContain("apiserver-2");
  });
});
