import type { Clock } from "../../protocol/clock.ts";
import { pause } from "../pause.ts";
import { refusal, retryAfterOf } from "./reply-status.ts";
import type { Call, Reply, Transport } from "./transport.ts";

const triesMax = 10;
const waitMsMax = 60_000;

/**
 * Asks again when a server that is too busy says when to. A refusal by 429 did nothing, so anything may be sent again;
 * after a 503 that is only known of reads. Streams have their own ways to start over.
 */
export function patientTransport(transport: Transport, clock: Clock): Transport {
  const progress = transport.progress?.bind(transport);
  return {
    request: async (call, signal) => {
      for (let tries = 1; ; tries += 1) {
        const reply = await transport.request(call, signal);
        const waitMs = tries < triesMax ? waitFor(call, reply) : undefined;
        if (waitMs === undefined) return reply;
        await pause(clock, waitMs, signal);
      }
    },
    stream: (call, sink, signal) => transport.stream(call, sink, signal),
    ...(progress === undefined ? {} : { progress }),
    close: () => transport.close(),
  };
}

function waitFor(call: Call, reply: Reply): number | undefined {
  const isUndone = reply.code === 429 || (reply.code === 503 && call.method === "GET");
  const seconds = isUndone ? retryAfterOf(refusal(call, reply)) : undefined;
  return seconds === undefined ? undefined : Math.min(seconds * 1_000, waitMsMax);
}
