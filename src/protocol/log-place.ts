import type { JsonObject } from "./json-value.ts";

/** A place in the log of a server in this process, as that server tells of it. */
export interface LogPlace {
  /** The object that was written there. */
  readonly key: {
    readonly plane: string;
    readonly resource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly revision: number;
  /** How often writes were taken back by then. */
  readonly takenBack: number;
}

/** What a new object is stored with that was decided on before it is there. */
export interface Birth {
  readonly status: JsonObject;
  readonly rests: Ground;
}

/**
 * What a birth rests on. What is written down in some places nobody may see without the new object: they go to the disk
 * `together`, or it is not born like this. What was kept for it in some places must still be `standing`, as the newest version
 * of what is there; where they are is asked at the last moment, and is nowhere when nothing is kept any more.
 */
export type Ground =
  | { readonly how: "together"; readonly places: readonly LogPlace[] }
  | { readonly how: "standing"; readonly places: () => readonly LogPlace[] };
