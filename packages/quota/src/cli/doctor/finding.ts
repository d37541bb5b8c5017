import type { ResourceTypeInfo } from "../resource-type-info.ts";

/** A result of a check. A warning may be intentional; a problem keeps quota from working. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly message: string;
  readonly advice?: string;
  /** The registration concerned, if any. */
  readonly registration?: ResourceTypeInfo & { readonly name: string; readonly resourceType: string };
}

/** One finding per fault, or a single one that says all is well. */
export function findingsFor(
  check: string,
  faults: readonly Omit<Finding, "check">[],
  okMessage: string,
): readonly Finding[] {
  if (faults.length === 0) return [{ check, state: "ok", message: okMessage }];
  return faults.map((fault) => ({ check, ...fault }));
}

export function problem(message: string, advice?: string): Omit<Finding, "check"> {
  return { state: "problem", message, ...(advice === undefined ? {} : { advice }) };
}

export function warning(message: string, advice?: string): Omit<Finding, "check"> {
  return { state: "warning", message, ...(advice === undefined ? {} : { advice }) };
}
