// The thread that owns the database. It handles one request at a time, and nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { failureOf } from "./sqlite-errors.ts";
import { openSqliteFile, type SqliteFile } from "./sqlite-file.ts";
import type { Reply, Request, SqliteOptions } from "./sqlite-messages.ts";

const port = parentPort;
if (port === null) throw new Error("this program must run as a worker thread");
let file: SqliteFile | undefined;
/** Set when the disk failed after a reply was sent: the next request fails with it. */
let broken: Reply | undefined;

port.on("message", (request: Request) => {
  port.postMessage(answer(request));
  if (request.ask === "close") port.close();
  else broken ??= checkpoint();
});

function answer(request: Request): Reply {
  try {
    return broken !== undefined && request.ask !== "close" ? broken : handle(request);
  } catch (error) {
    return failureOf(error);
  }
}

function handle(request: Request): Reply {
  switch (request.ask) {
    case "open":
      file = openSqliteFile(workerData as SqliteOptions);
      return { reply: "opened", compacted: file.compacted };
    case "page":
      return { reply: "page", records: opened().nextPage() };
    case "append":
      opened().append(request.records, request.usesReserve);
      return { reply: "done" };
    case "room":
      return { reply: "room", hasRoom: opened().hasRoom() };
    case "compact":
      opened().compact(request.compacted, request.obsolete);
      return { reply: "done" };
    case "close":
      file?.close();
      return { reply: "done" };
    default:
      return request satisfies never;
  }
}

/** Checkpoints after the reply was sent, if due. */
function checkpoint(): Reply | undefined {
  try {
    file?.checkpointIfLong();
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    return failure.reply === "full" ? undefined : failure;
  }
}

function opened(): SqliteFile {
  if (file === undefined) throw new Error("the database is not open");
  return file;
}
