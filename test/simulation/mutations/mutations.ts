import { admissionMutations } from "./admission-mutations.ts";
import { embeddedMutations } from "./embedded-mutations.ts";
import type { Mutation } from "./mutation.ts";
import { ownershipMutations } from "./ownership-mutations.ts";
import { writerMutations } from "./writer-mutations.ts";

/** Plausible bugs. The simulator detects each of them. */
export const mutations: readonly Mutation[] = [
  ...writerMutations,
  ...ownershipMutations,
  ...admissionMutations,
  ...embeddedMutations,
];

export function mutationNamed(name: string): Mutation {
  const found = mutations.find((mutation) => mutation.name === name);
  if (found !== undefined) return found;
  const names = mutations.map((mutation) => `  ${mutation.name}`).join("\n");
  throw new RangeError(`there is no mutation called "${name}"; there are:\n${names}`);
}
