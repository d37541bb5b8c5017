import { LightSignal } from "./light-signal.ts";

/** What ends work: an AbortController, or as good as one. */
export interface Abort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Its signal is handed to any number of calls at the same time. */
export function sharedAbort(): Abort {
  const signal = new LightSignal();
  return { signal, abort: (reason) => signal.abort(reason) };
}
