/**
 * Whether one resourceVersion is older than another. They are numbers that only grow, though too long for a double to
 * hold; of anything else nobody can tell, and then it is not.
 */
export function isOlder(left: string, right: string): boolean {
  if (!isNumber(left) || !isNumber(right)) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}

function isNumber(revision: string): boolean {
  return /^(0|[1-9][0-9]*)$/.test(revision);
}
