import type { Clock } from "../../protocol/clock.ts";
import { sleep } from "../sleep.ts";
import { replyError, retryAfterOf } from "./reply-status.ts";
import type { Call, Reply, Transport } from "./transport.ts";

const triesMax = 10;
const waitMsMax = 60_000;

/**
 * Retries when a busy server says after which time. After a 429 anything may be retried, because nothing happened;
 * after a 503 only reads. Streams are not retried here.
 */
export function retryingTransport(transport: Transport, clock: Clock): Transport {
  const progress = transport.progress?.bind(transport);
  return {
    request: async (call, signal) => {
      for (let tries = 1; ; tries += 1) {
        const reply = await transport.request(call, signal);
        const waitMs = tries < triesMax ? retryDelayMs(call, reply) : undefined;
        if (waitMs === undefined) return reply;
        await sleep(clock, waitMs, signal);
      }
    },
    stream: (call, sink, signal) => transport.stream(call, sink, signal),
    ...(progress === undefined ? {} : { progress }),
    close: () => transport.close(),
  };
}

function retryDelayMs(call: Call, reply: Reply): number | undefined {
  const isUndone = reply.code === 429 || (reply.code === 503 && call.method === "GET");
  const seconds = isUndone ? retryAfterOf(replyError(call, reply)) : undefined;
  return seconds === undefined ? undefined : Math.min(seconds * 1_000, waitMsMax);
}
