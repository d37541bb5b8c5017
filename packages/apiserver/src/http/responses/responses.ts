import type { AbortControllerLike } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import {
  type ApiStatus,
  failure,
  failureWithoutReason,
  StatusError,
} from "@milo-quota/kubernetes/protocol/api-status.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { sortedKeys } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { stringify } from "yaml";
import { ObjectTooLarge, StorageUnavailable } from "../../storage/object-store.ts";
import { BadRevision } from "../requests/list-options.ts";
import type { Accepted } from "./accept.ts";

type ResponseFormat = Pick<Accepted, "format" | "pretty">;

export const plainJson: ResponseFormat = { format: "json", pretty: false };

/** A response whose JSON text is already serialized. */
export function textResponse(code: number, text: string, { format, pretty }: ResponseFormat): ApiResponse {
  if (format === "yaml") {
    const body = stringify(sortedKeys(readJson(text)), { lineWidth: 0, version: "1.1", indentSeq: false });
    return { code, headers: { "content-type": "application/yaml" }, body };
  }
  const body = pretty ? `${indented(text)}\n` : `${text}\n`;
  return { code, headers: jsonHeaders, body };
}

const jsonHeaders = { "content-type": "application/json" };

export function jsonResponse(code: number, value: unknown, form: ResponseFormat): ApiResponse {
  return textResponse(code, writeJson(value), form);
}

export function plainTextResponse(code: number, body: string): ApiResponse {
  return { code, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body };
}

export const pageNotFound: ApiResponse = plainTextResponse(404, "404 page not found\n");

export function statusResponse(status: ApiStatus, form: ResponseFormat): ApiResponse {
  const answer = jsonResponse(status.code, status, form);
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter === undefined || retryAfter === 0) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": String(retryAfter) } };
}

/** Converts anything thrown by a handler into a Status. Unexpected errors go to `report`. */
export function statusOf(error: unknown, { signal }: AbortControllerLike, report: (error: unknown) => void): ApiStatus {
  if (error instanceof StatusError) return error.status;
  if (error instanceof BadRevision) return failureWithoutReason(error.message);
  if (error instanceof ObjectTooLarge) {
    return failure("RequestEntityTooLarge", `Request entity too large: ${error.message}`);
  }
  if (error instanceof StorageUnavailable) {
    // kubectl would try a rejected write for a minute before it shows why.
    return failure("ServiceUnavailable", error.message, error.isFull ? undefined : { retryAfterSeconds: 5 });
  }
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return failure("Timeout", "Timeout: request did not complete within the allotted timeout");
  }
  // The client disconnected: the response is never read, and nothing went wrong here.
  const isGone = signal.aborted && error === signal.reason;
  if (isGone || (error instanceof DOMException && error.name === "AbortError")) {
    return failure("Timeout", "The request was canceled");
  }
  report(error);
  return failure(
    "InternalError",
    "Internal error occurred: the server failed to handle this request; its log says more",
  );
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    failure("MethodNotAllowed", "the server does not allow this method on the requested resource", {}),
  );
}

export function noSuchResource(): StatusError {
  return new StatusError(failure("NotFound", "the server could not find the requested resource", {}));
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, rejectRounding), null, 2);
  } catch {
    return text; // numbers that a double cannot represent: better unformatted than rounded
  }
}

/** Throws on a number that would be rounded. */
function rejectRounding(_key: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError("inexact");
  return value;
}
