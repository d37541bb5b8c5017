/** Seconds, as most timestamps of Kubernetes have them. */
export function timeText(nowMs: number): string {
  return `${isoText(nowMs).slice(0, 19)}Z`;
}

/** Microseconds, as leases have them; our clocks know milliseconds. */
export function microTimeText(nowMs: number): string {
  return `${isoText(nowMs).slice(0, 23)}000Z`;
}

/** Milliseconds since 1970; undefined for what is no time. */
export function parseTime(text: string): number | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}T/.test(text)) return undefined;
  // biome-ignore lint/style/noRestrictedGlobals: reads a text; what time it is plays no part
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function isoText(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: writes a number as text; what time it is plays no part
  return new Date(ms).toISOString();
}
