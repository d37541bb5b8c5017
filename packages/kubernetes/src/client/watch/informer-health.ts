import type { Informer, InformerState } from "./informer.ts";

/** The state of an informer, for metrics. */
export interface InformerHealth {
  readonly name: string;
  readonly phase: InformerState["phase"];
  /** Number of cached objects. */
  readonly size: number;
  /** Number of failed lists and watches. */
  readonly failures: number;
}

type ObservedInformer = Pick<Informer<never, unknown>, "state" | "size" | "failures">;

export function healthOf(
  informers: Readonly<Record<string, ObservedInformer>>,
  prefix = "",
): readonly InformerHealth[] {
  return Object.entries(informers).map(([name, { state, size, failures }]) => ({
    name: `${prefix}${name}`,
    phase: state.phase,
    size,
    failures: failures,
  }));
}
