import type { AdmissionHistory } from "../invariants/admission-history.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { Host, Step } from "../world/world.ts";
import { runReportingFailure } from "./clients.ts";
import type { TypeAmount } from "./manifests.ts";
import type { Consumer, CountedType, Topology } from "./topology.ts";

/** Shared by all actors of a workload. */
export interface ActorContext {
  readonly topology: Topology;
  readonly random: SeededRandom;
  readonly history: AdmissionHistory;
}

/** A step without a time. */
export type Action = Omit<Step, "atMs">;

/** Draws an action; undefined if the topology has no use for it. */
export type ActionDraw = (context: ActorContext) => Action | undefined;

/** An action that runs as a program on a machine. */
export function actionOn(machine: string, what: string, work: (host: Host) => Promise<void> | void): Action {
  return {
    what: `${machine} ${what}`,
    take: (world) => {
      const program = (host: Host): void => runReportingFailure(host, what, async () => work(host));
      world.machine(machine).run(program, "once");
    },
  };
}

/** Resource types of a consumer's kind. */
export function countedFor({ counted }: Topology, { kind }: Consumer): readonly CountedType[] {
  return counted.filter(({ consumerKind }) => consumerKind === kind);
}

/** A consumer that has at least one resource type. */
export function drawConsumer({ topology, random }: ActorContext): Consumer {
  return random.pick(topology.consumers.filter((consumer) => countedFor(topology, consumer).length > 0));
}

/** An amount of a type, mostly in one of its places if it has any. */
export function drawAmount({ random }: ActorContext, counted: CountedType, amountMax: number): TypeAmount {
  const place = counted.places.length > 0 && random.chance(0.8) ? random.pick(counted.places) : undefined;
  return { counted, amount: random.between(1, amountMax), place };
}

export function amountsText(wanted: readonly TypeAmount[]): string {
  return wanted
    .map(({ counted, amount, place }) => `${amount} ${shortName(counted)}${place === undefined ? "" : ` ${place}`}`)
    .join(" and ");
}

export function shortName({ resourceType }: CountedType): string {
  return resourceType.slice(resourceType.lastIndexOf("/") + 1);
}
