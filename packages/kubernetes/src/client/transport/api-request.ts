import type { X509Certificate } from "node:crypto";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { UserInfo } from "../../protocol/user-info.ts";
import type { Abort } from "../shared-abort.ts";
import type { StreamEvent } from "./transport.ts";

/** All values of each header under its name in lower case, as Node's `headersDistinct` gives them. */
export type RequestHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** A request as it reaches the API, from a socket or from a caller in the same process. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: RequestHeaders;
  /** Reads the whole body; throws a StatusError when it is too long or cannot be read. */
  readonly body: () => Promise<Uint8Array | string>;
  /** Aborts when the client is gone; and by the server, when the time for the request is up. */
  readonly life: Abort;
  /** For callers that are trusted to say who they are; everybody else is asked. */
  readonly user?: UserInfo;
  /**
   * List or watch the objects of all planes at once, of a kind that the plane of the path serves or any other does, each
   * shown as its own plane shows it. For masters among the callers that are trusted to say who they are. Each event then says its plane beside the object, as `plane`, and
   * a list the planes of its items in their order, as `planes`: nothing is added to the objects themselves.
   */
  readonly allPlanes?: boolean;
  /**
   * Answer a list with how far the server is, as plain text, and list nothing; watches of the same objects that were
   * opened by callers in this process get a bookmark at once.
   */
  readonly asksProgress?: boolean;
  /** What the TLS connection knows of its client. */
  readonly clientCertificate?: X509Certificate | undefined;
}

export interface ApiAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Stream;
  /**
   * What reading the body gives, for callers in this process: those who take it need neither text nor reading. Items of
   * a list may say their kind in it, which the text of the list leaves out.
   */
  readonly object?: () => JsonObject;
}

/** An answer that goes on until one side ends it. Starting it hands over the sink to write to. */
export interface Stream {
  start(sink: StreamSink): void;
}

/** An event of a watch, with the length of its text: by this it counts as waiting until the client has taken it. */
export interface MeasuredEvent extends StreamEvent {
  readonly length: number;
}

export interface StreamSink {
  write(line: string | Uint8Array): void;
  /** Takes an event instead of its line: for readers in this process, who then need not read it. */
  event?(event: MeasuredEvent): void;
  /** Bytes written that the client has not taken yet. */
  readonly waitingBytes: number;
  end(): void;
  /** Ends a stream that cannot go on: the client sees that it was cut. */
  cut(): void;
  /** Calls once, later, when the client has taken what was written so far. */
  onDrain(call: () => void): void;
  /** Called once, when either side has ended the stream. */
  onClose(call: () => void): void;
}

/** An API server, to callers in its process. */
export type AnswerRequest = (request: ApiRequest) => Promise<ApiAnswer>;
