const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Times as the server writes them, on any day but the last of a leap February: nothing is wrong with these. */
const plainTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

let latestPlain = "";

/** Most times that are looked at are of the same second. */
function isPlainTime(text: string): boolean {
  if (text === latestPlain) return true;
  if (!plainTime.test(text)) return false;
  latestPlain = text;
  return true;
}

/** Whether a text is a time that Kubernetes would read, with any fraction of a second or none. */
export function isTime(text: string): boolean {
  return isPlainTime(text) || isTimeLike(text, /^(?:[.,]\d+)?(?:Z|[-+]\d{2}:\d{2})$/);
}

/** The same for times that always have six digits after the seconds. */
export function isMicroTime(text: string): boolean {
  return isTimeLike(text, /^[.,]\d{6}(?:Z|[-+]\d{2}:\d{2})$/);
}

function isTimeLike(text: string, rest: RegExp): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})/.exec(text);
  if (found === null || !rest.test(text.slice(found[0].length))) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0);
  return day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 59;
}
