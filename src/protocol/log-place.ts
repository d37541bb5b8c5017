import type { JsonObject } from "./json-value.ts";

/** A place in the log of a server in this process, as that server tells of it. */
export interface LogPlace {
  readonly revision: number;
  /** How often writes were taken back by then. */
  readonly takenBack: number;
}

/** What a new object is stored with that was decided on before it is there. */
export interface Birth {
  readonly status: JsonObject;
  /** Where that was written down. Nobody may see one without the other: they go to the disk together, or not like this. */
  readonly places: readonly LogPlace[];
}
