import { parseTime } from "@milo-quota/kubernetes/protocol/time.ts";

const secondsPerMinute = 60;
const minutesPerHour = 60;
const hoursPerDay = 24;
const daysPerYear = 365;

/** An age as kubectl tables show it: two units for small values, then one. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 2 * secondsPerMinute) return `${Math.max(0, seconds)}s`;
  const minutes = Math.trunc(seconds / secondsPerMinute);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % secondsPerMinute, "s");
  if (minutes < 3 * minutesPerHour) return `${minutes}m`;
  const hours = Math.trunc(minutes / minutesPerHour);
  if (hours < 8) return twoUnits(hours, "h", minutes % minutesPerHour, "m");
  if (hours < 2 * hoursPerDay) return `${hours}h`;
  const days = Math.trunc(hours / hoursPerDay);
  if (days < 8) return twoUnits(days, "d", hours % hoursPerDay, "h");
  if (days < 2 * daysPerYear) return `${days}d`;
  const years = Math.trunc(days / daysPerYear);
  return years < 8 ? twoUnits(years, "y", days % daysPerYear, "d") : `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** The age of a timestamp; `<unknown>` when there is none. */
export function timeSince(timestamp: string | null | undefined, nowMs: number): string {
  const then = parseTime(timestamp ?? "");
  return then === undefined ? "<unknown>" : humanDuration(nowMs - then);
}
