import type { JsonObject } from "../../protocol/json-value.ts";

/** A request to an API server, whichever way it gets there. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the server, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body?: CallBody;
  /** The form in which an answer is wanted; JSON when left out. */
  readonly accept?: string;
  /**
   * List or watch the objects of all planes at once. Only a server in this process does that: lists then name the
   * planes of their items, and events their plane.
   */
  readonly reach?: "all-planes";
}

export interface CallBody {
  readonly type: string;
  readonly text: string;
}

export interface Reply {
  readonly code: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What reading the body gives, where a server in this process has it at hand. */
  readonly object?: () => JsonObject;
}

/** An event of a watch, as a server in this process hands it over. */
export interface StreamEvent {
  readonly type: string;
  readonly object: JsonObject;
  /** Where objects of all planes are watched. */
  readonly plane?: string | undefined;
}

/** What takes the lines of a stream. Neither call may throw. */
export interface LineSink {
  /** The server has agreed to stream; called once, before any line. */
  opened(): void;
  /** The text of a line; or the event that it would tell of. */
  line(line: string | StreamEvent): void;
}

/** The way to one API server: over sockets, or straight into a server in the same process. */
export interface Transport {
  /** Resolves to whatever the server answers, refusals included. Rejects with ConnectionFailed when there is no answer. */
  request(call: Call, signal: AbortSignal): Promise<Reply>;
  /**
   * Resolves when the server has ended the stream in order. Rejects with a StatusError when it refuses, with
   * ConnectionFailed when the stream is cut, and with the signal's reason when that is aborted: no line comes after.
   */
  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void>;
  /**
   * How far the server is, as a revision, for a list of everything that the call is about. Watches of the same, opened
   * through this process and taking bookmarks, are told right away that they have heard everything up to there. Only
   * towards a server in this process.
   */
  progress?(call: Call, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** No answer, or half of one: nobody knows whether the server acted on the call. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";

  constructor(call: Pick<Call, "method" | "path">, cause: unknown) {
    super(`${call.method} ${call.path}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
  }
}

/** The longest answer, and the longest line of a stream, that is taken. A list is read in pages far below this. */
export const answerBytesMax = 64 * 1024 * 1024;
