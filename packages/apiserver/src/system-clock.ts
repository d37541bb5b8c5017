import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  // biome-ignore lint/style/noRestrictedGlobals: this is where real time comes from
  now: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs).unref();
    return { stop: () => clearTimeout(timer) };
  },
};
