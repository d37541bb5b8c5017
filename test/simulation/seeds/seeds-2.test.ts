import { checkSeeds } from "./check-seeds.ts";

checkSeeds(2);
