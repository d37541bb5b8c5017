import type { Abort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { ApiAnswer } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { type ApiStatus, failure, StatusError, unexplained } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { sortedKeys } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { stringify } from "yaml";
import { ObjectTooLarge, StorageUnavailable } from "../../storage/object-store.ts";
import { BadRevision } from "../requests/list-options.ts";
import type { Accepted } from "./accept.ts";

type Form = Pick<Accepted, "format" | "pretty">;

export const plainJson: Form = { format: "json", pretty: false };

/** An answer whose JSON text is at hand. */
export function textAnswer(code: number, text: string, { format, pretty }: Form): ApiAnswer {
  if (format === "yaml") {
    const body = stringify(sortedKeys(readJson(text)), { lineWidth: 0, version: "1.1", indentSeq: false });
    return { code, headers: { "content-type": "application/yaml" }, body };
  }
  const body = pretty ? `${indented(text)}\n` : `${text}\n`;
  return { code, headers: jsonHeaders, body };
}

const jsonHeaders = { "content-type": "application/json" };

export function jsonAnswer(code: number, value: unknown, form: Form): ApiAnswer {
  return textAnswer(code, writeJson(value), form);
}

export function plainAnswer(code: number, body: string): ApiAnswer {
  return { code, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body };
}

export const pageNotFound: ApiAnswer = plainAnswer(404, "404 page not found\n");

export function statusAnswer(status: ApiStatus, form: Form): ApiAnswer {
  const answer = jsonAnswer(status.code, status, form);
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter === undefined || retryAfter === 0) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": String(retryAfter) } };
}

/** What a client is told of anything thrown on the way. `report` hears of what is our own fault. */
export function statusOf(error: unknown, { signal }: Abort, report: (error: unknown) => void): ApiStatus {
  if (error instanceof StatusError) return error.status;
  if (error instanceof BadRevision) return unexplained(error.message);
  if (error instanceof ObjectTooLarge) {
    return failure("RequestEntityTooLarge", `Request entity too large: ${error.message}`);
  }
  if (error instanceof StorageUnavailable)
    return failure("ServiceUnavailable", error.message, { retryAfterSeconds: 5 });
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return failure("Timeout", "Timeout: request did not complete within the allotted timeout");
  }
  // The client is gone, for whatever reason: nobody reads this answer, and nothing went wrong here.
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

/** The methods that a path has no meaning for. */
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
    return JSON.stringify(JSON.parse(text, keepNumbers), null, 2);
  } catch {
    return text; // numbers that a double cannot hold: better as they are than rounded
  }
}

/** Throws on a number that would be rounded. */
function keepNumbers(_key: string, value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError("inexact");
  return value;
}
