import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/**
 * A parser that reads each object once. Nobody changes an object after it was made, so what was read of it stays true;
 * and the same version of an object may be handed to several readers.
 */
export function readOnce<Kind>(parse: (value: unknown) => Parsed<Kind>): (value: unknown) => Parsed<Kind> {
  const results = new WeakMap<object, Parsed<Kind>>();
  return (value) => {
    if (typeof value !== "object" || value === null) return parse(value);
    const known = results.get(value);
    if (known !== undefined) return known;
    const result = parse(value);
    results.set(value, result);
    return result;
  };
}
