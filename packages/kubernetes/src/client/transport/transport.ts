import type { JsonObject } from "../../protocol/json-value.ts";

/** A request to an API server, over any transport. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the server, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body?: CallBody;
  /** The accepted media type; JSON when left out. */
  readonly accept?: string;
  /**
   * List or watch the objects of all planes. Only a server in this process supports it: lists then name the planes of
   * their items, and events their plane.
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
  /** The parsed body, if a server in this process provides it. */
  readonly object?: () => JsonObject;
}

/** A watch event, as a server in this process passes it. */
export interface StreamEvent {
  readonly type: string;
  readonly object: JsonObject;
  /** Set in watches of all planes. */
  readonly plane?: string | undefined;
}

/** Receives the lines of a stream. The methods must not throw. */
export interface LineSink {
  /** The server accepted the request; called once, before any line. */
  onOpened(): void;
  /** The text of a line, or the event in it. */
  onLine(line: string | StreamEvent): void;
}

/** A connection to one API server: over the network, or to a server in the same process. */
export interface Transport {
  /** Resolves to the server's reply, also if it is an error. Rejects with ConnectionFailed when there is none. */
  request(call: Call, signal: AbortSignal): Promise<Reply>;
  /**
   * Resolves when the server ends the stream normally. Rejects with a StatusError when the server rejects the request,
   * with ConnectionFailed when the stream is cut, and with the signal's reason when it is aborted: no line comes after.
   */
  stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void>;
  /**
   * The server's current revision, for a list of everything in the call. Watches of the same objects in this process
   * get a bookmark with it at once. Only for servers in this process.
   */
  progress?(call: Call, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** No response, or an incomplete one: it is unknown whether the server executed the request. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";

  constructor(call: Pick<Call, "method" | "path">, cause: unknown) {
    super(`${call.method} ${call.path}: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
  }
}

/** Limit on the size of a response, and of a line of a stream. Pages of lists are far smaller. */
export const responseBytesMax = 64 * 1024 * 1024;
