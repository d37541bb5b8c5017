import { semiSpaceMb } from "@milo-quota/quota/cli/serving/start-in-thread.ts";

/** Gives the processes of benchmarks the same heap settings as `milo-quota up`. */
export const heapFlags: readonly string[] = [`--max-semi-space-size=${semiSpaceMb}`];
