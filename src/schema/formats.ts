/** Formats of strings that Kubernetes checks; any other format is documentation. Dashes in their names do not count. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  duration: (text) =>
    /^[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*)$/.test(
      text,
    ),
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  hostname: (text) =>
    text.length <= 255 &&
    /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/.test(text),
  mac: (text) => /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  uri: (text) => /^([a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+|\/[^\s]*)$/.test(text),
};

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The check for a format, or undefined when nothing is checked. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

/** RFC 3339, as every timestamp in an object is written. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[-+](\d{2}):(\d{2}))$/.exec(text);
  if (match === null) return false;
  const [, date = "", hour, minute, second, , , zoneHour = "0", zoneMinute = "0"] = match;
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  return isTime && isDate(date) && Number(zoneHour) < 24 && Number(zoneMinute) < 60;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && isLeap ? 29 : monthDays[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isIpv4(text: string): boolean {
  return /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  const hasIpv4Tail = last?.includes(".") === true && isIpv4(last);
  const plain = hasIpv4Tail ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  const length = plain.length + (hasIpv4Tail ? 2 : 0);
  return halves.length === 2 ? length < 8 : length === 8;
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return false;
  return (isIpv4(address) && Number(bits) <= 32) || (isIpv6(address) && Number(bits) <= 128);
}
