import { failure, StatusError } from "../../protocol/api-status.ts";

/** An integer of the query; undefined when it is not there. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) throw bad(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw bad(`strconv.ParseInt: parsing "${text}": value out of range`);
  return value;
}

/** Anything but a clear no is a yes, as Kubernetes reads its queries. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : !["false", "0"].includes(text.toLowerCase());
}

function bad(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
