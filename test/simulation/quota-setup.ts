import { replica } from "./quota-replica.ts";
import type { Setup } from "./run-seed.ts";
import { concurrentCreates } from "./workloads/concurrent-creates.ts";
import { contendedClaims } from "./workloads/contended-claims.ts";
import { embeddedMixedWorkload, mixedWorkload } from "./workloads/mixed-workload.ts";
import { SeededRandom } from "./world/seeded-random.ts";

/**
 * Controllers and workload of a seed. In every third seed, controllers and admission run in the process of the API server.
 * Some of these seeds also have a rival replica: it wins the election although the embedded controllers lead without one.
 */
export function quotaSetup(seed: number): Setup {
  return isEmbedded(seed) ? embeddedSetup(seed) : replicatedSetup(seed);
}

export function isEmbedded(seed: number): boolean {
  return seed % 3 === 0;
}

function embeddedSetup(seed: number): Setup {
  const random = new SeededRandom(seed, "subject");
  const createWorkload = random.pick([embeddedMixedWorkload, concurrentCreates]);
  return { createWorkload, machines: random.chance(0.3) ? { rival: replica } : {}, isEmbedded: true };
}

/** The controllers on several machines, with leader election. */
function replicatedSetup(seed: number): Setup {
  const random = new SeededRandom(seed, "subject");
  const count = random.pick([1, 2, 2, 3]);
  const names = Array.from({ length: count }, (_, at) => `replica-${at + 1}`);
  const createWorkload = random.pick([mixedWorkload, mixedWorkload, contendedClaims]);
  return { createWorkload, machines: Object.fromEntries(names.map((name) => [name, replica])) };
}
