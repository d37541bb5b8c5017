import type { JsonObject } from "../../protocol/json-value.ts";
import type { Birth, LogPlace } from "../../protocol/log-place.ts";

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
  /**
   * Told of the object that is going to be answered once its write has its place in the log of a server in this process:
   * whatever this process writes there from then on is lost if this is lost. A server elsewhere tells nothing.
   */
  readonly ordered?: ((object: JsonObject, place: LogPlace) => void) | undefined;
  /**
   * Asked for the status of a new object by a server in this process, once nothing but the storing is left. Where that was
   * written down in the same log and is not on its way to the disk yet, the object is stored with it; else as if nobody had
   * been asked. A server elsewhere asks nothing.
   */
  readonly bornWith?: ((object: JsonObject) => Promise<Birth | undefined>) | undefined;
  /**
   * The sender answers for the values of what it sends: a server in this process then looks at the form of it once, and not
   * at each object of that form. A server elsewhere takes nobody's word.
   */
  readonly vouched?: boolean | undefined;
}

export interface CallBody {
  readonly type: string;
  readonly text: string;
  /** What the text is written from, which nobody changes any more: a server in this process may take it as it is. */
  readonly value?: object;
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
