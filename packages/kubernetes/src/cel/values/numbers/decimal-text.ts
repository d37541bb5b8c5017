import { formatExponent } from "./format-double.ts";

/** An exact fraction, for rounding: `2.675` is a little less than it looks. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** `precision` digits after the point, rounded to the nearest and half to even: `1.5` is `2`, `2.5` is `2`. */
export function fixedText(value: number | bigint, precision: number): string {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const { numerator, denominator } = fractionOf(value);
  const digits = roundHalfEven(magnitude(numerator) * 10n ** BigInt(precision), denominator).toString();
  const padded = digits.padStart(precision + 1, "0");
  const whole = padded.slice(0, padded.length - precision);
  return signOf(value) + (precision === 0 ? whole : `${whole}.${padded.slice(-precision)}`);
}

/** One digit before the point, `precision` after it, and an exponent: `1.052033e+03`. */
export function scientificText(value: number | bigint, precision: number): string {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  const exact = fractionOf(value);
  const guess = exact.numerator === 0n ? 0 : Number(Number(value).toExponential().split("e")[1]);
  const rounded = significantDigits(exact, guess, precision);
  // Rounding up can carry into a further digit: 9.99 becomes 10.0, which is 1.00e+01.
  const carried = rounded.length > precision + 1;
  const digits = carried ? rounded.slice(0, -1) : rounded;
  const point = precision === 0 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${signOf(value)}${point}e${formatExponent(carried ? guess + 1 : guess)}`;
}

function significantDigits({ numerator, denominator }: Fraction, exponent: number, precision: number): string {
  const shift = precision - exponent;
  const scale = 10n ** BigInt(Math.abs(shift));
  const size = magnitude(numerator);
  const rounded = shift >= 0 ? roundHalfEven(size * scale, denominator) : roundHalfEven(size, denominator * scale);
  return rounded.toString().padStart(precision + 1, "0");
}

function fractionOf(value: number | bigint): Fraction {
  if (typeof value === "bigint") return { numerator: value, denominator: 1n };
  let doublings = 0;
  let scaled = value;
  // Doubling is exact, and every finite double becomes whole after at most 1074 times.
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    doublings += 1;
  }
  return { numerator: BigInt(scaled), denominator: 1n << BigInt(doublings) };
}

function roundHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function signOf(value: number | bigint): string {
  return value < 0 || Object.is(value, -0) ? "-" : "";
}
