/** What is logged of an error. */
export interface ErrorSummary {
  readonly level: "warn" | "error";
  readonly message: string;
  /** Only of unexpected errors, to find their cause in the code. */
  readonly stack: string | undefined;
  /** Whether the error is typical of work on an object that is being deleted. It is logged only if it persists. */
  readonly isTransient: boolean;
}

const messageLengthMax = 2_000;

/**
 * Error responses of an API server, failures of the network or disk, and mistakes in user-written objects (errors with
 * `isExpected`) are expected. Their message is enough.
 */
export function summarizeError(error: unknown): ErrorSummary {
  if (!(error instanceof Error)) {
    return { level: "error", message: truncate(String(error)), stack: undefined, isTransient: false };
  }
  const code = statusCode(error);
  const message = truncate(code === undefined ? error.message || error.name : `${code} ${error.message}`);
  if (!isExpected(error)) return { level: "error", message, stack: stackOf(error), isTransient: false };
  return { level: "warn", message, stack: undefined, isTransient: code === 404 || isNamespaceTerminating(error) };
}

function isExpected(error: Error): boolean {
  if (statusCode(error) !== undefined || systemCode(error) !== undefined || error.name === "AbortError") return true;
  return "isExpected" in error && error.isExpected === true;
}

/** The status code of an error response of an API server. */
function statusCode(error: Error): number | undefined {
  const code = statusOf(error)?.code;
  return typeof code === "number" ? code : undefined;
}

function isNamespaceTerminating(error: Error): boolean {
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

function truncate(text: string): string {
  return text.length > messageLengthMax ? `${text.slice(0, messageLengthMax)}...` : text;
}
