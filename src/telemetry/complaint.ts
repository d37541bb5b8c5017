/** What is written of an error. */
export interface Complaint {
  readonly level: "warn" | "error";
  readonly message: string;
  /** Only of what nobody expected: whoever reads it has to find the place in the code. */
  readonly stack: string | undefined;
}

const messageLengthMax = 2_000;

/** What a server answers and what a network or disk does is expected; its message says it all. */
export function complaintOf(error: unknown): Complaint {
  if (!(error instanceof Error)) return { level: "error", message: cut(String(error)), stack: undefined };
  const code = statusCode(error);
  const message = cut(code === undefined ? error.message || error.name : `${code} ${error.message}`);
  const isExpected = code !== undefined || systemCode(error) !== undefined || error.name === "AbortError";
  return isExpected ? { level: "warn", message, stack: undefined } : { level: "error", message, stack: stackOf(error) };
}

/** Of an answer of an API server that is no success. */
function statusCode(error: Error): number | undefined {
  const status = "status" in error ? error.status : undefined;
  if (typeof status !== "object" || status === null || !("code" in status)) return undefined;
  return typeof status.code === "number" ? status.code : undefined;
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
