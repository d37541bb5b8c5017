import type { RegisteredNames } from "../registered-names.ts";

/** What an examination found. A warning may well be meant so; a problem keeps quota from working. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
  /** The registration that it is about. */
  readonly registration?: RegisteredNames & { readonly name: string; readonly resourceType: string };
}

/** One line when all is well, and one for each thing that is not. */
export function findingsFor(
  check: string,
  faults: readonly Omit<Finding, "check">[],
  fine: string,
): readonly Finding[] {
  if (faults.length === 0) return [{ check, state: "ok", message: fine }];
  return faults.map((fault) => ({ check, ...fault }));
}

export function problem(message: string, advice?: string): Omit<Finding, "check"> {
  return { state: "problem", message, ...(advice === undefined ? {} : { advice }) };
}

export function warning(message: string, advice?: string): Omit<Finding, "check"> {
  return { state: "warning", message, ...(advice === undefined ? {} : { advice }) };
}
