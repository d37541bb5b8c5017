import {
  type ApiStatus,
  parseStatus,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from "../../protocol/api-status.ts";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import type { Call, Reply } from "./transport.ts";

/** How much of an unrecognized response is quoted. */
const quotedLengthMax = 300;

/** The error of a reply; for proxies and load balancers that do not send a Status, one is synthesized. */
export function replyError(call: Pick<Call, "method" | "path">, reply: Reply): StatusError {
  const status = statusIn(reply.body) ?? synthesizedStatus(call, reply);
  const seconds = retryAfterSeconds(reply);
  if (seconds === undefined || status.details?.retryAfterSeconds !== undefined) return new StatusError(status);
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds: seconds } });
}

export function isSuccess({ code }: Pick<Reply, "code">): boolean {
  return code >= 200 && code < 300;
}

/** The server's Retry-After in seconds; undefined when there is none. */
export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined;
}

function statusIn(body: string): ApiStatus | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    return parseStatus(readJson(body));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Only seconds are supported; API servers do not send dates. */
function retryAfterSeconds({ headers }: Reply): number | undefined {
  const text = headers["retry-after"] ?? "";
  return /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}

const statusTexts: Readonly<Record<number, readonly [StatusReason, string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", "the server does not allow access to the requested resource"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  406: ["NotAcceptable", "the server was unable to respond with a content type that the client supports"],
  409: ["Conflict", "the server reported a conflict"],
  410: ["Gone", "the server no longer has what was asked for"],
  413: ["RequestEntityTooLarge", "the request is too large for the server"],
  415: ["UnsupportedMediaType", "the server was unable to decode the request"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  500: ["InternalError", "an error on the server has prevented the request from succeeding"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

function synthesizedStatus({ method, path }: Pick<Call, "method" | "path">, { code, body }: Reply): ApiStatus {
  const known = statusTexts[code];
  const said = body.trim().slice(0, quotedLengthMax);
  const details: StatusDetails = said === "" ? {} : { causes: [{ reason: "UnexpectedServerResponse", message: said }] };
  const text = known?.[1] ?? `the server responded with the status code ${code} but did not return more information`;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${text} (${method} ${path})`,
    ...(known === undefined ? {} : { reason: known[0] }),
    details,
    code,
  };
}
