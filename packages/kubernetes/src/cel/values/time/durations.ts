import { Failure } from "../failure.ts";
import { isInt64 } from "../numbers/int64.ts";
import { Duration } from "../value.ts";
import { formatFraction, nanosPerSecond } from "./timestamps.ts";

/** A duration holds as many nanoseconds as an int64: about 292 years either way. */
export function durationOrOverflow(nanos: bigint): Duration | Failure {
  return isInt64(nanos) ? new Duration(nanos) : new Failure("overflow", "duration overflow");
}

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // micro sign
  μs: 1_000n, // Greek mu
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3_600n * nanosPerSecond,
};

const whole = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const part = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;

/** Far longer than any duration in range, and short enough to parse quickly. */
const textMax = 128;

/** As parsed by Go: `1h30m`, `-1.5s`, `300ms`, `0`. */
export function parseDuration(text: string): Duration | Failure {
  if (text.length > textMax || !whole.test(text)) {
    return new Failure("conversion", "type conversion error from 'string' to 'google.protobuf.Duration'");
  }
  let nanos = 0n;
  for (const [, units = "", fraction = "", unit = ""] of text.matchAll(part)) {
    const scale = nanosPerUnit[unit] as bigint;
    nanos += BigInt(units) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return durationOrOverflow(text.startsWith("-") ? -nanos : nanos);
}

/** Seconds and their fraction: `5400s`, `-1.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const text = `${size / nanosPerSecond}${formatFraction(size % nanosPerSecond)}s`;
  return nanos < 0n ? `-${text}` : text;
}
