import { quotaPlay } from "./actors/quota-play.ts";
import { crowdedPlay } from "./crowded-play.ts";
import { replica } from "./quota-replica.ts";
import type { Subject } from "./run-seed.ts";
import { SeededRandom } from "./world/seeded-random.ts";

/** The controllers on several machines, of which one leads; and those who use quota. */
export function quotaSubject(seed: number): Subject {
  const random = new SeededRandom(seed, "subject");
  const count = random.pick([1, 2, 2, 3]);
  const names = Array.from({ length: count }, (_, at) => `replica-${at + 1}`);
  const write = random.pick([quotaPlay, quotaPlay, crowdedPlay]);
  return { write, machines: Object.fromEntries(names.map((name) => [name, replica])) };
}
