import { LightAbortSignal } from "./light-abort-signal.ts";

/** An AbortController, or a lighter implementation. */
export interface AbortControllerLike {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** For a signal that is passed to any number of concurrent calls. */
export function lightAbortController(): AbortControllerLike {
  const signal = new LightAbortSignal();
  return { signal, abort: (reason) => signal.abort(reason) };
}
