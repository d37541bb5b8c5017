import { type Draft, type DraftObject, isDraftObject } from "./go-round-trip.ts";

/** A nested object; undefined when it is absent. */
export function nestedObject(draft: DraftObject, key: string): DraftObject | undefined {
  const value = draft[key];
  return isDraftObject(value) ? value : undefined;
}

/** The same, created when it is absent. */
export function ensureNestedObject(draft: DraftObject, key: string): DraftObject {
  const found = nestedObject(draft, key);
  if (found !== undefined) return found;
  const made: DraftObject = {};
  draft[key] = made;
  return made;
}

/** The objects of a list. */
export function itemsOf(draft: DraftObject | undefined, key: string): readonly DraftObject[] {
  const value = draft?.[key];
  return Array.isArray(value) ? value.filter(isDraftObject) : [];
}

/** Sets a default. As in Kubernetes, an empty string counts as unset. */
export function setDefault(draft: DraftObject | undefined, key: string, value: Draft): void {
  if (draft !== undefined && isUnset(draft[key])) draft[key] = value;
}

export function isUnset(value: Draft | undefined): boolean {
  return value === undefined || value === null || value === "";
}
