import type { X509Certificate } from "node:crypto";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { UserInfo } from "../../protocol/user-info.ts";
import type { AbortControllerLike } from "../light-abort-controller.ts";
import type { StreamEvent } from "./transport.ts";

/** All values of each header, by lower-case name, as Node's `headersDistinct` gives them. */
export type RequestHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** A request to the API, from a socket or from inside the process. */
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: RequestHeaders;
  /** Reads the whole body; throws a StatusError when it is too long or unreadable. */
  readonly body: () => Promise<Uint8Array | string>;
  /** Aborted when the client disconnects, and by the server when the request times out. */
  readonly abortController: AbortControllerLike;
  /** Set by trusted callers only; other requests are authenticated. */
  readonly user?: UserInfo;
  /**
   * List or watch the objects of all planes, of a kind that any plane serves, each rendered by its own plane. For
   * trusted callers in system:masters. Events have a `plane` beside the object, and lists have the `planes` of their
   * items, in order; the objects themselves are unchanged.
   */
  readonly allPlanes?: boolean;
  /**
   * Respond to a list with the current revision as plain text instead; watches of the same objects from inside this
   * process get a bookmark at once.
   */
  readonly asksProgress?: boolean;
  /** The certificate of the TLS connection. */
  readonly clientCertificate?: X509Certificate | undefined;
}

export interface ApiResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Stream;
  /**
   * The parsed body, for callers in this process, which then need no text. Items of a list may have a kind in it, which
   * the text omits.
   */
  readonly object?: () => JsonObject;
}

/** A response body that goes on until either side ends it. Started with the sink to write to. */
export interface Stream {
  start(sink: StreamSink): void;
}

/** A watch event with the length of its text, by which it counts as unread. */
export interface MeasuredEvent extends StreamEvent {
  readonly length: number;
}

export interface StreamSink {
  write(line: string | Uint8Array): void;
  /** Takes an event instead of its line: for readers in this process, which then need no parsing. */
  event?(event: MeasuredEvent): void;
  /** Bytes written that the client has not read yet. */
  readonly waitingBytes: number;
  end(): void;
  /** Aborts the stream: the client sees that it is incomplete. */
  cut(): void;
  /** Calls back once, asynchronously, when the client has read everything written so far. */
  onDrain(call: () => void): void;
  /** Called once, when either side has ended the stream. */
  onClose(call: () => void): void;
}

/** An API server, for callers in its process. */
export type HandleRequest = (request: ApiRequest) => Promise<ApiResponse>;
