/** Longer names are not compared: the work grows with the square of the length. */
const lengthMax = 100;

/** The name that was probably meant: at most a third of the letters differ, two at most. Undefined if none is that near. */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  if (given.length > lengthMax) return undefined;
  const distanceMax = Math.min(2, Math.ceil(given.length / 3));
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const name of names) {
    if (name.length > lengthMax) continue;
    const distance = name.toLowerCase() === given.toLowerCase() ? 0 : editDistance(given, name);
    if (distance <= distanceMax && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY))
      nearest = { name, distance };
  }
  return nearest?.name;
}

/** Insertions, deletions and replacements of letters, and swaps of two neighbours. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= right.length; at += 1) {
      const isSame = left[row - 1] === right[at - 1];
      const isSwapped = row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      current[at] = Math.min(
        (last[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[right.length] ?? 0;
}
