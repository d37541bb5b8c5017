/** Texts of the last seconds that were asked for: every decision is written down with the time. */
const texts = new Map<number, string>();
const textsMax = 16;

/** Seconds, as most timestamps of Kubernetes have them. */
export function timeText(nowMs: number): string {
  const second = Math.floor(nowMs / 1_000);
  const known = texts.get(second);
  if (known !== undefined) return known;
  const text = `${isoText(second * 1_000).slice(0, 19)}Z`;
  if (texts.size >= textsMax) texts.clear();
  texts.set(second, text);
  return text;
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
