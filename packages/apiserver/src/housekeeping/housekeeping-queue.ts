import { WorkQueue, type WorkQueueOptions } from "@milo-quota/kubernetes/client/queue/work-queue.ts";

interface HousekeepingQueueOptions<Key> extends Pick<WorkQueueOptions<Key>, "work" | "idOf" | "clock" | "random"> {
  readonly report: (error: unknown) => void;
}

/** The first failures of a key are races that the next try settles. */
const unreportedFailuresMax = 5;

/** Never drops a key, because the store does not tell of it twice; ends work under way as soon as it is stopped. */
export function housekeepingQueue<Key>({ report, ...options }: HousekeepingQueueOptions<Key>): WorkQueue<Key> {
  return new WorkQueue({
    ...options,
    report: (error, _key, failures) => {
      if (failures > unreportedFailuresMax) report(error);
    },
    limits: { keysMax: Number.POSITIVE_INFINITY, stopMsMax: 0 },
  });
}
