import { describeKills } from "./kill-rounds.ts";

describeKills({ first: 8, last: 14 });
