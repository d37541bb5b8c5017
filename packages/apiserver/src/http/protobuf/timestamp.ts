import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { ProtobufError, WireReader } from "./wire-reader.ts";

/** Go's zero time, the beginning of year one: no time at all. */
const zeroSeconds = -62_135_596_800n;
/** The years that four digits can express. */
const secondsMin = -62_167_219_200n;
const secondsMax = 253_402_300_799n;

/** A time as RFC 3339 text in UTC with that many fractional digits; null for the zero time. */
export function timestampText(bytes: Uint8Array, digits: 0 | 6): string | null {
  if (bytes.length === 0) return null;
  const { seconds, nanos } = readTimestamp(bytes);
  const micros = digits === 0 ? 0n : BigInt(Math.trunc(nanos / 1_000));
  const wholeMicros = BigInt(seconds) * 1_000_000n + micros;
  const fraction = ((wholeMicros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const wholeSeconds = (wholeMicros - fraction) / 1_000_000n;
  if (wholeSeconds === zeroSeconds && fraction === 0n) return null;
  if (wholeSeconds < secondsMin || wholeSeconds > secondsMax) {
    throw new ProtobufError(`proto: Timestamp: ${wholeSeconds} seconds are not within the years 0000 to 9999`);
  }
  const text = formatTime(Number(wholeSeconds) * 1_000);
  return digits === 0 ? text : `${text.slice(0, -1)}.${String(fraction).padStart(digits, "0")}Z`;
}

function readTimestamp(bytes: Uint8Array): { readonly seconds: number | bigint; readonly nanos: number } {
  const wire = new WireReader(bytes);
  let seconds: number | bigint = 0;
  let nanos = 0;
  while (!wire.isAtEnd) {
    const tag = wire.tag("Timestamp");
    if (tag.field === 1) seconds = wire.int64(tag, "seconds");
    else if (tag.field === 2) nanos = wire.int32(tag, "nanos");
    else wire.skip(tag.type);
  }
  return { seconds, nanos };
}
