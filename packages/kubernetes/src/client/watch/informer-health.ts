import type { Informer, InformerState } from "./informer.ts";

/** How an informer is, for those who look from outside. */
export interface InformerHealth {
  readonly name: string;
  readonly phase: InformerState["phase"];
  /** How many objects it keeps. */
  readonly size: number;
  /** How often it had to begin again because something went wrong. */
  readonly troubles: number;
}

type Looked = Pick<Informer<never, unknown>, "state" | "size" | "troubles">;

export function healthOf(informers: Readonly<Record<string, Looked>>, prefix = ""): readonly InformerHealth[] {
  return Object.entries(informers).map(([name, { state, size, troubles }]) => ({
    name: `${prefix}${name}`,
    phase: state.phase,
    size,
    troubles,
  }));
}
