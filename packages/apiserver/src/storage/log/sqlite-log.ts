import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { type LoadedLog, LogDamaged, LogFull, type LogRecord, type RecordLog } from "./record-log.ts";
import { databasePath, type Reply, type Request, type SqliteOptions } from "./sqlite-messages.ts";
import { startThread } from "./sqlite-thread.ts";

type Succeeded = Extract<Reply, { readonly reply: "done" | "opened" | "page" | "room" }>;

/**
 * Keeps records in an SQLite database. A thread of its own waits for the disk, so that the main thread can serve
 * requests. A directory belongs to one process at a time.
 */
export class SqliteLog implements RecordLog {
  readonly location: string;
  readonly #worker: Worker;
  #asked: { readonly answer: (reply: Reply) => void; readonly fail: (error: Error) => void } | undefined;
  #dead: Error | undefined;

  constructor(options: SqliteOptions) {
    this.location = databasePath(options.directory);
    this.#worker = startThread(options);
    this.#worker.on("message", (reply: Reply) => this.#asked?.answer(reply));
    this.#worker.on("error", (error) => this.#die(error));
    this.#worker.on("exit", () => this.#die(new Error("the database thread has ended")));
  }

  async load(): Promise<LoadedLog> {
    const opened = await this.#ask({ ask: "open" });
    if (opened.reply !== "opened") throw new Error(`unexpected reply ${opened.reply}`);
    return { compacted: opened.compacted, pages: this.#pages() };
  }

  /**
   * A turn of the event loop is short compared to a disk write; everything that follows from the last write joins the
   * next batch.
   */
  gatherWrites(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async append(records: readonly LogRecord[], usesReserve = false): Promise<void> {
    await this.#ask({ ask: "append", records, usesReserve });
  }

  async hasRoom(): Promise<boolean> {
    const reply = await this.#ask({ ask: "room" });
    return reply.reply === "room" && reply.hasRoom;
  }

  async compact(compacted: number, obsolete: readonly number[]): Promise<void> {
    await this.#ask({ ask: "compact", compacted, obsolete });
  }

  /** Waits for the thread to end: only then another process can open the directory. */
  async close(): Promise<void> {
    if (this.#dead !== undefined) return;
    const ended = once(this.#worker, "exit");
    try {
      await this.#ask({ ask: "close" });
    } finally {
      await ended;
    }
  }

  /** The thread reads and verifies the next page while this one is being loaded. */
  async *#pages(): AsyncGenerator<readonly LogRecord[]> {
    let next = this.#page();
    try {
      for (let records = await next; records.length > 0; records = await next) {
        next = this.#page();
        yield records;
      }
    } finally {
      await next.catch(() => undefined); // the next request must not overtake this one
    }
  }

  #page(): Promise<readonly LogRecord[]> {
    const page = this.#ask({ ask: "page" }).then((reply) => (reply.reply === "page" ? reply.records : []));
    page.catch(() => undefined); // reported where it is awaited
    return page;
  }

  async #ask(request: Request): Promise<Succeeded> {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#asked !== undefined) throw new Error("the log received two requests at a time");
    try {
      const reply = await new Promise<Reply>((answer, fail) => {
        this.#asked = { answer, fail };
        this.#worker.postMessage(request);
      });
      return this.#check(reply);
    } finally {
      this.#asked = undefined;
    }
  }

  #check(reply: Reply): Succeeded {
    switch (reply.reply) {
      case "full":
        throw new LogFull(reply.message);
      case "damaged":
        throw new LogDamaged(this.location, reply.message);
      case "failed":
        throw Object.assign(new Error(reply.message), { code: reply.code });
      default:
        return reply;
    }
  }

  #die(error: Error): void {
    this.#dead ??= error;
    this.#asked?.fail(this.#dead);
  }
}
