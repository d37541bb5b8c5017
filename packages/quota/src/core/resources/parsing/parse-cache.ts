import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";

/**
 * Caches the result of a parser by object identity. Hot: several informers and admission parse the same version of an object.
 * Objects are never modified after they were parsed, so results stay valid.
 */
export function parseOnce<Kind>(parse: (value: unknown) => Parsed<Kind>): (value: unknown) => Parsed<Kind> {
  const results = new WeakMap<object, Parsed<Kind>>();
  return (value) => {
    if (typeof value !== "object" || value === null) return parse(value);
    const cached = results.get(value);
    if (cached !== undefined) return cached;
    const result = parse(value);
    results.set(value, result);
    return result;
  };
}
