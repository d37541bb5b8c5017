import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** An integer of the query; undefined when it is not there. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) throw bad(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  const exact = BigInt(text.replace(/^\+/, ""));
  if (exact !== BigInt.asIntN(64, exact)) throw bad(`strconv.ParseInt: parsing "${text}": value out of range`);
  // Beyond what a double holds exactly, no number of objects or seconds differs from the next.
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(exact)));
}

/** Anything but a clear no is a yes, as Kubernetes reads its queries. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : !["false", "0"].includes(text.toLowerCase());
}

function bad(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
