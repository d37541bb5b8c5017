import { checkSeeds } from "./check-seeds.ts";

checkSeeds(3);
