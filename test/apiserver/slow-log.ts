import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { turnOfEvents } from "./test-server.ts";

/** A log with latency, so that writes are batched as with a real disk. */
export class SlowLog extends MemoryLog {
  turns: () => number = () => 0;

  override async append(records: readonly LogRecord[]): Promise<void> {
    for (let turn = this.turns(); turn > 0; turn -= 1) await turnOfEvents();
    return super.append(records);
  }
}
