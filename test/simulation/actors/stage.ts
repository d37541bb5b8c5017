import type { AdmissionBook } from "../invariants/admission-book.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { Host, Step } from "../world/world.ts";
import { attempt } from "./clients.ts";
import type { Wanted } from "./manifests.ts";
import type { Consumer, Counted, TinyWorld } from "./tiny-world.ts";

/** What all who act have in common. */
export interface Stage {
  readonly tiny: TinyWorld;
  readonly random: SeededRandom;
  readonly book: AdmissionBook;
}

/** Something that happens, at whatever time. */
export type Action = Omit<Step, "atMs">;

/** Draws an action by chance; undefined when there is nothing of the sort to do in this world. */
export type ActionDraw = (stage: Stage) => Action | undefined;

/** An action of a program on a machine. */
export function on(machine: string, what: string, work: (host: Host) => Promise<void> | void): Action {
  return {
    what: `${machine} ${what}`,
    take: (world) => {
      const program = (host: Host): void => attempt(host, what, async () => work(host));
      world.machine(machine).run(program, "once");
    },
  };
}

/** Types that a consumer can have. */
export function countedFor({ counted }: TinyWorld, { kind }: Consumer): readonly Counted[] {
  return counted.filter(({ consumerKind }) => consumerKind === kind);
}

/** A consumer that has something to use. */
export function drawConsumer({ tiny, random }: Stage): Consumer {
  return random.pick(tiny.consumers.filter((consumer) => countedFor(tiny, consumer).length > 0));
}

/** Some of one type, in one of its places if it has any. */
export function drawWanted({ random }: Stage, counted: Counted, amountMax: number): Wanted {
  const place = counted.places.length > 0 && random.chance(0.8) ? random.pick(counted.places) : undefined;
  return { counted, amount: random.between(1, amountMax), place };
}

export function wantedText(wanted: readonly Wanted[]): string {
  return wanted
    .map(({ counted, amount, place }) => `${amount} ${tailOf(counted)}${place === undefined ? "" : ` ${place}`}`)
    .join(" and ");
}

export function tailOf({ resourceType }: Counted): string {
  return resourceType.slice(resourceType.lastIndexOf("/") + 1);
}
