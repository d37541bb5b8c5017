// A simulation without quota: clients increment counters in ConfigMaps, informers follow. It tests the simulator itself:
// correct clients survive all faults, and lost updates are detected.

import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type ConfigMap, configMap, configMaps, parseConfigMap } from "../../api-client/kinds.ts";
import type { Setup } from "../run-seed.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type Host, InvariantViolation, type Program, type Step, type World } from "./world.ts";

const { signal } = lightAbortController();
const scope = { resource: "configmaps" };
const counters = ["one", "two"] as const;

/** Acknowledged increments of each counter. */
type Acknowledged = Map<string, number>;

const clientOf = ({ transport }: Host) => new KubeClient(transport).resource(configMaps, parseConfigMap);

async function increment(host: Host, name: string, how: "by version" | "blindly"): Promise<boolean> {
  const client = clientOf(host);
  const found = await client.find({ namespace: "default", name }, signal);
  if (found === undefined) {
    await client.create(configMap("default", name, { count: "1" }), {}, signal);
    return true;
  }
  const next = String(Number(found.data?.["count"] ?? "0") + 1);
  const { resourceVersion: _, ...unversioned } = found.metadata;
  const metadata = how === "by version" ? found.metadata : unversioned;
  await client.update({ ...found, metadata, data: { count: next } } as unknown as ConfigMap, {}, signal);
  return true;
}

/** Whether the increment was acknowledged. */
function isAcknowledged(work: Promise<boolean>): Promise<boolean> {
  return work.catch((error: unknown) => {
    if (error instanceof StatusError || error instanceof ConnectionFailed) return false;
    throw error;
  });
}

function stepsOf(
  random: SeededRandom,
  size: { readonly stepCount: number; readonly lengthMs: number },
  counted: (host: Host, name: string) => void,
): readonly Step[] {
  return Array.from({ length: size.stepCount }, () => {
    const [name, machine] = [random.pick(counters), random.pick(["client-1", "client-2", "client-3"])];
    return {
      atMs: random.between(0, size.lengthMs),
      what: `${machine} increments ${name}`,
      take: (world: World) => world.machine(machine).run((host) => counted(host, name), "once"),
    };
  });
}

export function counterSetup(how: "by version" | "blindly"): Setup {
  const followers = new Map<string, Informer<ConfigMap, string>>();
  const follow: Program = (host) => {
    const client = clientOf(host);
    const informer = new Informer<ConfigMap, string>({
      source: listerWatcherFor(client, host.transport, {}),
      parse: parseConfigMap,
      transform: ({ data }) => data?.["count"] ?? "",
      clock: host.clock,
      random: host.random,
      report: (error) => host.report("follower", error),
    });
    followers.set(host.name, informer);
    informer.start();
  };
  return {
    machines: { "follower-1": follow, "follower-2": follow },
    createWorkload: (world, random, size) => {
      const acknowledged: Acknowledged = new Map();
      const counted = (host: Host, name: string): void => {
        void isAcknowledged(increment(host, name, how)).then((isSure) => {
          if (isSure) acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
        });
      };
      const stored = (): ReadonlyMap<string, string> =>
        new Map(world.truth.list(scope).map(({ key, object }) => [key.name, countIn(object as unknown as ConfigMap)]));
      return {
        steps: stepsOf(random, size, counted),
        checker: {
          checkStep: () => {
            const now = stored();
            for (const [name, least] of acknowledged) {
              if (Number(now.get(name) ?? 0) < least) throw new InvariantViolation("C1", `${name} lost an increment`);
            }
          },
          checkSettled: () => {
            for (const [machine, informer] of followers) checkInformer(machine, informer, stored());
          },
          checkQuiescent: () => undefined,
        },
      };
    },
  };
}

function countIn({ data }: ConfigMap): string {
  return data?.["count"] ?? "";
}

function checkInformer(
  machine: string,
  informer: Informer<ConfigMap, string>,
  stored: ReadonlyMap<string, string>,
): void {
  const seen = new Map([...informer.entries()].map(([{ name }, count]) => [name, count]));
  const same = seen.size === stored.size && [...stored].every(([name, count]) => seen.get(name) === count);
  if (!same) {
    throw new InvariantViolation("C2", `${machine} has ${[...seen].join(" ")}, stored is ${[...stored].join(" ")}`);
  }
}
