import { ChildAbort } from "@milo-quota/kubernetes/client/child-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";

/** Long enough for a slow server; a plane that does not answer at all must not keep others waiting for good. */
const answerMsMax = 15_000;

/** What work comes to, if it does in time. Work that does not listen to its signal is not waited for. */
export async function inTime<Value>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const life = new ChildAbort(signal);
  const timer = clock.after(answerMsMax, () => life.abort(new Error(`no answer within ${answerMsMax} ms`)));
  try {
    return await untilAborted(work(life.signal), life.signal);
  } finally {
    timer.stop();
    life.release();
  }
}
