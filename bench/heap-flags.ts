import { semiSpaceMb } from "@milo-quota/quota/cli/serving/start-in-thread.ts";

/** Gives a process of a benchmark the heap that the program gives to a server. */
export const heapFlags: readonly string[] = [`--max-semi-space-size=${semiSpaceMb}`];
