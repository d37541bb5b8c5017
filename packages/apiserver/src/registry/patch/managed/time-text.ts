const secondsPerDay = 86_400;

/** The seconds since 1970 of an RFC 3339 time; undefined when the text is none. */
export function unixSeconds(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([-+])(\d\d):(\d\d))$/.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six;
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 60;
  if (!isReal) return undefined;
  const offset = (match[7] === "-" ? -1 : 1) * (Number(match[8] ?? 0) * 3600 + Number(match[9] ?? 0) * 60);
  return daysSince1970(year, month, day) * secondsPerDay + hour * 3600 + minute * 60 + second - offset;
}

type Six = [number, number, number, number, number, number];

let latest = { seconds: 0, text: "1970-01-01T00:00:00Z" };

/** Such a time as Kubernetes writes it, in whole seconds of UTC. Many things happen in the same second. */
export function utcText(seconds: number): string {
  if (seconds !== latest.seconds) latest = { seconds, text: utcTextOf(seconds) };
  return latest.text;
}

function utcTextOf(seconds: number): string {
  const days = Math.floor(seconds / secondsPerDay);
  const rest = seconds - days * secondsPerDay;
  const clock = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map((part) => padded(part, 2));
  return `${dateText(days)}T${clock.join(":")}Z`;
}

/** Counts years from March, so that the leap day is their last; eras of 400 years are all alike. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateText(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return [padded(year, 4), padded(month, 2), padded(dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1, 2)].join(
    "-",
  );
}

function padded(part: number, digits: number): string {
  return String(part).padStart(digits, "0");
}
