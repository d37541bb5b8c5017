import { findMutations } from "./find-mutations.ts";

findMutations(1);
