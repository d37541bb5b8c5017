import { type Draft, type DraftObject, isDraftObject } from "./json-shape.ts";

/** An object inside another; undefined when it is not there. */
export function inner(draft: DraftObject, key: string): DraftObject | undefined {
  const value = draft[key];
  return isDraftObject(value) ? value : undefined;
}

/** The same, made when it is not there. */
export function innerMade(draft: DraftObject, key: string): DraftObject {
  const found = inner(draft, key);
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

/** Sets a field that has no value. Defaults of Kubernetes do not tell an empty string from none. */
export function fallback(draft: DraftObject | undefined, key: string, value: Draft): void {
  if (draft !== undefined && isUnset(draft[key])) draft[key] = value;
}

export function isUnset(value: Draft | undefined): boolean {
  return value === undefined || value === null || value === "";
}
