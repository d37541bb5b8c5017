/**
 * Whether one resourceVersion is older than another. They are increasing numbers, which may exceed a double; false for
 * anything else, which cannot be compared.
 */
export function isOlder(left: string, right: string): boolean {
  if (!isRevision(left) || !isRevision(right)) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}

/** Whether it can be compared. */
export function isRevision(revision: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(revision);
}
