/**
 * Whether one resourceVersion is older than another. They are numbers that only grow, though too long for a double to
 * hold; of anything else nobody can tell, and then it is not.
 */
export function isOlder(left: string, right: string): boolean {
  if (!isRevision(left) || !isRevision(right)) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}

/** Whether this is one that can be told older from newer. */
export function isRevision(revision: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(revision);
}
