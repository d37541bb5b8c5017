import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** The time of this machine. Its timers keep no process alive. */
export const systemClock: Clock = {
  // biome-ignore lint/style/noRestrictedGlobals: this is where real time comes from
  now: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs).unref();
    return { stop: () => clearTimeout(timer) };
  },
};
