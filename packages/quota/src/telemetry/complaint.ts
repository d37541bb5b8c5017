/** What is written of an error. */
export interface Complaint {
  readonly level: "warn" | "error";
  readonly message: string;
  /** Only of what nobody expected: whoever reads it has to find the place in the code. */
  readonly stack: string | undefined;
  /** Whether it is what becomes of work on something that is being deleted: nobody need hear of it, unless it lasts. */
  readonly mayPass: boolean;
}

const messageLengthMax = 2_000;

/**
 * What a server answers, what a network or disk does, and mistakes in what people wrote (errors with `isExpected`) are
 * expected; the message says it all.
 */
export function complaintOf(error: unknown): Complaint {
  if (!(error instanceof Error)) {
    return { level: "error", message: cut(String(error)), stack: undefined, mayPass: false };
  }
  const code = statusCode(error);
  const message = cut(code === undefined ? error.message || error.name : `${code} ${error.message}`);
  if (!isExpected(error)) return { level: "error", message, stack: stackOf(error), mayPass: false };
  return { level: "warn", message, stack: undefined, mayPass: code === 404 || isOfTerminating(error) };
}

function isExpected(error: Error): boolean {
  if (statusCode(error) !== undefined || systemCode(error) !== undefined || error.name === "AbortError") return true;
  return "isExpected" in error && error.isExpected === true;
}

/** Of an answer of an API server that is no success. */
function statusCode(error: Error): number | undefined {
  const code = statusOf(error)?.code;
  return typeof code === "number" ? code : undefined;
}

/** Nothing is created in a namespace that is being deleted. */
function isOfTerminating(error: Error): boolean {
  const causes = statusOf(error)?.details?.causes;
  return Array.isArray(causes) && causes.some((cause) => cause?.reason === "NamespaceTerminating");
}

interface StatusLike {
  readonly code?: unknown;
  readonly details?: { readonly causes?: readonly ({ readonly reason?: unknown } | null)[] } | null;
}

function statusOf(error: Error): StatusLike | undefined {
  const status = "status" in error ? error.status : undefined;
  return typeof status === "object" && status !== null ? status : undefined;
}

/** Such as ECONNREFUSED or ENOSPC. */
function systemCode(error: Error): string | undefined {
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" && /^E[A-Z]+$/.test(code) ? code : undefined;
}

function stackOf(error: Error): string | undefined {
  const lines = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return lines.length === 0 ? undefined : lines.join("\n");
}

function cut(text: string): string {
  return text.length > messageLengthMax ? `${text.slice(0, messageLengthMax)}...` : text;
}
