// A subject that has nothing to do with quota: clients count in config maps, others follow. It shows what a world does
// to programs, and that mistakes of programs are found.
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { type ConfigMap, configMap, configMaps, parseConfigMap } from "../../api-client/kinds.ts";
import type { Subject } from "../run-seed.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type Host, InvariantBroken, type Program, type Step, type World } from "./world.ts";

const { signal } = sharedAbort();
const scope = { resource: "configmaps" };
const counters = ["one", "two"] as const;

/** What clients were told: by this much each counter has grown at least. */
type Acknowledged = Map<string, number>;

const clientOf = ({ transport }: Host) => new KubeClient(transport).resource(configMaps, parseConfigMap);

async function count(host: Host, name: string, how: "by version" | "blindly"): Promise<boolean> {
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

/** Whether it is known to have been counted. */
function isCounted(work: Promise<boolean>): Promise<boolean> {
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
      what: `${machine} counts ${name}`,
      take: (world: World) => world.machine(machine).run((host) => counted(host, name), "once"),
    };
  });
}

export function countingSubject(how: "by version" | "blindly"): Subject {
  const followers = new Map<string, Informer<ConfigMap, string>>();
  const follow: Program = (host) => {
    const client = clientOf(host);
    const informer = new Informer<ConfigMap, string>({
      source: sourceOf(client, host.transport, {}),
      parse: parseConfigMap,
      keep: ({ data }) => data?.["count"] ?? "",
      clock: host.clock,
      random: host.random,
      report: (error) => host.report("follower", error),
    });
    followers.set(host.name, informer);
    informer.start();
  };
  return {
    machines: { "follower-1": follow, "follower-2": follow },
    write: (world, random, size) => {
      const acknowledged: Acknowledged = new Map();
      const counted = (host: Host, name: string): void => {
        void isCounted(count(host, name, how)).then((isSure) => {
          if (isSure) acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
        });
      };
      const stored = (): ReadonlyMap<string, string> =>
        new Map(world.truth.list(scope).map(({ key, object }) => [key.name, countIn(object as unknown as ConfigMap)]));
      return {
        steps: stepsOf(random, size, counted),
        checker: {
          step: () => {
            const now = stored();
            for (const [name, least] of acknowledged) {
              if (Number(now.get(name) ?? 0) < least) throw new InvariantBroken("C1", `${name} lost a count`);
            }
          },
          settled: () => {
            for (const [machine, informer] of followers) checkSeen(machine, informer, stored());
          },
          rested: () => undefined,
        },
      };
    },
  };
}

function countIn({ data }: ConfigMap): string {
  return data?.["count"] ?? "";
}

function checkSeen(machine: string, informer: Informer<ConfigMap, string>, stored: ReadonlyMap<string, string>): void {
  const seen = new Map([...informer.entries()].map(([{ name }, count]) => [name, count]));
  const same = seen.size === stored.size && [...stored].every(([name, count]) => seen.get(name) === count);
  if (!same) {
    throw new InvariantBroken("C2", `${machine} sees ${[...seen].join(" ")} where there is ${[...stored].join(" ")}`);
  }
}
