import { WorkQueue, type WorkQueueOptions } from "@milo-quota/kubernetes/client/queue/work-queue.ts";

interface ControllerQueueOptions<Key> extends Pick<WorkQueueOptions<Key>, "reconcile" | "idOf" | "clock" | "random"> {
  readonly report: (error: unknown) => void;
}

/** The first failures of a key are usually conflicts that a retry resolves. */
const unreportedFailuresMax = 5;

/** Never drops a key, because the store does not repeat events; aborts running work as soon as it is stopped. */
export function controllerQueue<Key>({ report, ...options }: ControllerQueueOptions<Key>): WorkQueue<Key> {
  return new WorkQueue({
    ...options,
    report: (error, _key, failures) => {
      if (failures > unreportedFailuresMax) report(error);
    },
    limits: { keysMax: Number.POSITIVE_INFINITY, stopMsMax: 0 },
  });
}
