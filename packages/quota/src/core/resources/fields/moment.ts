const dateTime = /^(\d{4}-\d{2}-\d{2})t(\d{2}:\d{2}:\d{2})(?:.(\d+))?(?:z|([+-])(\d{2}):(\d{2}))$/iu;
const minuteMs = 60_000;

/** Milliseconds since 1970 of a text that a schema took for a date-time, in all the ways Kubernetes lets one be written. */
export function momentMs(text: string): number | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = "", sign = "+", hours = "0", minutes = "0"] = match;
  // biome-ignore lint/style/noRestrictedGlobals: reads a text; what time it is plays no part
  const secondMs = Date.parse(`${date}T${time}Z`);
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === "-" ? -1 : 1);
  const ms = secondMs + Number(fraction.slice(0, 3).padEnd(3, "0")) - offsetMs;
  return Number.isNaN(ms) ? undefined : ms;
}
