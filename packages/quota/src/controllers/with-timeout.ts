import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { ChildAbortController } from "@milo-quota/kubernetes/client/child-abort-controller.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** Long enough for a slow server; an unresponsive control plane must not block the others for good. */
const timeoutMs = 15_000;

/** Rejects after a timeout, even if the work ignores its signal. */
export async function withTimeout<Value>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new ChildAbortController(signal);
  const timer = clock.after(timeoutMs, () => limit.abort(new Error(`no response within ${timeoutMs} ms`)));
  try {
    return await abortable(work(limit.signal), limit.signal);
  } finally {
    timer.stop();
    limit.release();
  }
}
