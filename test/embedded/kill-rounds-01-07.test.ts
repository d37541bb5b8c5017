import { describeKills } from "./kill-rounds.ts";

describeKills({ first: 1, last: 7 });
