import { type FieldIssue, issueText } from "./field-issue.ts";
import { quote } from "./go-quote.ts";
import { isJsonObject, type JsonValue } from "./json-value.ts";

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Kubernetes' Status object. */
export interface ApiStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** The closed set of reasons, with their HTTP codes. */
const statusCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof statusCodes;

/** A plural resource name (`projects`) with its group, as Kubernetes names it in messages. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** An error with a Status; converted into a response at one place. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: ApiStatus;

  constructor(status: ApiStatus) {
    super(status.message ?? status.reason ?? "unknown failure");
    this.status = status;
  }
}

export function failure(reason: StatusReason, message: string, details?: StatusDetails): ApiStatus {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code: statusCodes[reason],
  };
}

/** An error without a reason, as Kubernetes sends for some: code 500 and the bare message. */
export function failureWithoutReason(message: string): ApiStatus {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 };
}

export function resourceNotFound(resource: GroupResource, name: string): ApiStatus {
  return failure("NotFound", `${named(resource, name)} not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: GroupResource, name: string): ApiStatus {
  return failure("AlreadyExists", `${named(resource, name)} already exists`, detailsOf(resource, name));
}

export function conflict(resource: GroupResource, name: string, because: string): ApiStatus {
  const message = `Operation cannot be fulfilled on ${named(resource, name)}: ${because}`;
  return failure("Conflict", message, detailsOf(resource, name));
}

export function resourceForbidden(resource: GroupResource, name: string, because: string): ApiStatus {
  const subject = name === "" ? resourceText(resource) : named(resource, name);
  return failure("Forbidden", `${subject} is forbidden: ${because}`, detailsOf(resource, name));
}

/** All issues of an object, each as a cause. */
export function invalidObject(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  issues: readonly FieldIssue[],
): ApiStatus {
  const subject = `${kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`} ${quote(name)}`;
  const causes = issues.map(({ type, message, field }) => ({ reason: type, message, field }));
  const details = { ...namePart(name), ...groupPart(kind.group), ...kindPart(kind.kind), causes };
  return failure("Invalid", `${subject} is invalid: ${aggregate(issues)}`, details);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiStatus {
  return failure("TooManyRequests", message, { retryAfterSeconds });
}

export function serviceUnavailable(message: string, retryAfterSeconds: number): ApiStatus {
  return failure("ServiceUnavailable", message, { retryAfterSeconds });
}

/** The revision is older than the history. */
export function resourceExpired(message: string): ApiStatus {
  return failure("Expired", message);
}

/** Undefined for anything that is not a Status. */
export function parseStatus(value: JsonValue): ApiStatus | undefined {
  if (!isJsonObject(value) || value["kind"] !== "Status" || value["apiVersion"] !== "v1") return undefined;
  return typeof value["code"] === "number" ? (value as unknown as ApiStatus) : undefined;
}

function resourceText({ group, resource }: GroupResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function named(resource: GroupResource, name: string): string {
  return `${resourceText(resource)} ${quote(name)}`;
}

function detailsOf(resource: GroupResource, name: string): StatusDetails {
  return { ...namePart(name), ...groupPart(resource.group), kind: resource.resource };
}

function namePart(name: string): { readonly name?: string } {
  return name === "" ? {} : { name };
}

function kindPart(kind: string): { readonly kind?: string } {
  return kind === "" ? {} : { kind };
}

function groupPart(group: string): { readonly group?: string } {
  return group === "" ? {} : { group };
}

function aggregate(issues: readonly FieldIssue[]): string {
  const texts = [...new Set(issues.map(issueText))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`;
}
