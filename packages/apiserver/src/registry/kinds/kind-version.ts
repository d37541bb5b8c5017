/** Stable before beta before alpha, newer before older, anything else last: `v2 v1 v1beta2 v1alpha1 foo`. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  if (a === undefined || b === undefined) {
    if (a !== undefined) return -1;
    return b !== undefined || right < left ? 1 : -1;
  }
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

const stabilities = { alpha: 0, beta: 1 } as const;

function rankOf(version: string) {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : stabilities[match[2] as keyof typeof stabilities];
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
