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
import type { EmbeddedProgram, Host } from "./world.ts";

const { signal } = new AbortController();
const nothing = (): void => undefined;

async function worldWith(program: EmbeddedProgram, disk: DiskState = "good"): Promise<SimulatedWorld> {
  const world = new SimulatedWorld(1, {
    records: await preparedRecords(),
    trace: new Trace("hash only"),
    hasSteadyLatency: true,
    isEmbedded: true,
  });
  world.embed(program);
  world.disk.state = disk;
  world.later(0, nothing); // a world starts with its first event
  await world.advance(0, nothing);
  return world;
}

function clientOf({ transport }: Host): ResourceClient<JsonObject> {
  return new KubeClient(transport).resource(configMaps, anyObject);
}

describe("a program in the process of the server", () => {
  it("is ready before the server accepts requests, after every restart", async () => {
    const incarnations: string[] = [];
    const world = await worldWith(async ({ clock, incarnation }) => {
      incarnations.push(incarnation);
      await new Promise<void>((resolve) => clock.after(50, resolve));
    });
    const isServing: boolean[] = [];
    const sampleAfter = async (afterMs: number): Promise<void> => {
      await world.advance(afterMs, nothing);
      isServing.push(world.server.isServing);
    };
    await sampleAfter(40);
    await sampleAfter(20);
    world.machine(serverName).crash(100);
    await sampleAfter(140);
    await sampleAfter(20);
    expect(isServing).toEqual([false, true, false, true]);
    expect(incarnations).toEqual(["apiserver-1", "apiserver-2"]);
  });

  it("gets no responses after a crash of the server", async () => {
    const responses: string[] = [];
    const world = await worldWith(async (host) => {
      const created = clientOf(host).create(configMap("default", host.incarnation, {}), {}, signal);
      void created.then(
        () => responses.push(host.incarnation),
        () => responses.push(`${host.incarnation} fails`),
      );
    }, "slow");
    await world.advance(40, nothing);
    world.machine(serverName).crash(100);
    world.disk.state = "good";
    await world.advance(3_000, nothing);
    expect(responses).toEqual(["apiserver-2"]);
    expect(world.truth.list({ resource: "configmaps" }).map(({ key }) => key.name)).toContain("apiserver-2");
  });
});
