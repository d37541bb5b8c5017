import { embeddedPlay, quotaPlay } from "./actors/quota-play.ts";
import { crowdedDoorPlay } from "./crowded-door-play.ts";
import { crowdedPlay } from "./crowded-play.ts";
import { replica } from "./quota-replica.ts";
import type { Subject } from "./run-seed.ts";
import { SeededRandom } from "./world/seeded-random.ts";

/**
 * Who decides claims, and those who use quota: in every third world all in the process of the API server. In some of these
 * another machine decides as well, and does not know that the server leads without having been elected.
 */
export function quotaSubject(seed: number): Subject {
  return isEmbedded(seed) ? embeddedSubject(seed) : replicatedSubject(seed);
}

export function isEmbedded(seed: number): boolean {
  return seed % 3 === 0;
}

function embeddedSubject(seed: number): Subject {
  const random = new SeededRandom(seed, "subject");
  const write = random.pick([embeddedPlay, crowdedDoorPlay]);
  return { write, machines: random.chance(0.3) ? { rival: replica } : {}, isEmbedded: true };
}

/** The controllers on several machines, of which one leads. */
function replicatedSubject(seed: number): Subject {
  const random = new SeededRandom(seed, "subject");
  const count = random.pick([1, 2, 2, 3]);
  const names = Array.from({ length: count }, (_, at) => `replica-${at + 1}`);
  const write = random.pick([quotaPlay, quotaPlay, crowdedPlay]);
  return { write, machines: Object.fromEntries(names.map((name) => [name, replica])) };
}
