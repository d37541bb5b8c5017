import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** An integer of the query; undefined when it is absent. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) throw bad(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  const exact = BigInt(text.replace(/^\+/, ""));
  if (exact !== BigInt.asIntN(64, exact)) throw bad(`strconv.ParseInt: parsing "${text}": value out of range`);
  // Clamped to safe integers: as counts or seconds, larger numbers make no difference.
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(exact)));
}

/** As Kubernetes parses it: anything but a clear false is true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : !["false", "0"].includes(text.toLowerCase());
}

function bad(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
