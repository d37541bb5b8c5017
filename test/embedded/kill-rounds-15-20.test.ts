import { describeKills } from "./kill-rounds.ts";

describeKills({ first: 15, last: 20 });
