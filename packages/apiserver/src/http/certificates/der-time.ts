import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { element, tags } from "./der-writer.ts";

/** To the second. Years before 2050 have two digits, as RFC 5280 demands. */
export function timeElement(ms: number): Buffer {
  const digits = formatTime(ms).replace(/[-:T]/g, "");
  const year = Number(digits.slice(0, 4));
  if (year >= 1950 && year < 2050) return element(tags.utcTime, Buffer.from(digits.slice(2)));
  return element(tags.generalizedTime, Buffer.from(digits));
}
