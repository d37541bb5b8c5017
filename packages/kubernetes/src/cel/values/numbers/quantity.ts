import { Failure } from "../failure.ts";
import { Opaque } from "../opaque.ts";
import { quantityName } from "../type-name.ts";

/** The suffix family of a quantity, which is preserved. */
type Notation = "decimal" | "binary" | "exponent";

/** A Kubernetes resource quantity, exact to the nano: `1500m`, `1.5Gi`, `12e6`. */
export class Quantity extends Opaque {
  readonly #nanos: bigint;
  readonly #notation: Notation;
  constructor(nanos: bigint, notation: Notation) {
    super();
    this.#nanos = nanos;
    this.#notation = notation;
  }
  /** The amount in billionths, the smallest unit of a quantity. */
  get nanos(): bigint {
    return this.#nanos;
  }
  get notation(): Notation {
    return this.#notation;
  }
  override get typeName(): string {
    return quantityName;
  }
  override equals(other: Quantity): boolean {
    return this.#nanos === other.nanos;
  }
  override toString(): string {
    return formatQuantity(this);
  }
}

const nano = 1_000_000_000n;
const decimalSuffixes: readonly string[] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/s;
const suffixShape = /^[eEinumkKMGTP]*[-+]?\d*$/;
const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Longer than any quota; without a limit, `1e999999999` would take a gigabyte of digits. */
const digitsMax = 400;

export function parseQuantity(text: string): Quantity | Failure {
  const [, sign, units = "", fraction = "", suffix = ""] = shape.exec(text) ?? [];
  if (units + fraction === "" || !suffixShape.test(suffix)) return new Failure("conversion", wrongFormat);
  const scale = scaleOf(suffix);
  if (scale === undefined) return new Failure("conversion", "unable to parse quantity's suffix");
  const digits = units.length + fraction.length + Math.max(0, scale.exponent);
  if (digits > digitsMax) return new Failure("conversion", "unable to parse numeric part of quantity");
  const unscaled = BigInt(units + fraction) * scale.multiplier;
  const nanos = shiftRoundingUp(unscaled, 9 + scale.exponent - fraction.length);
  return new Quantity(sign === "-" ? -nanos : nanos, scale.notation);
}

interface Scale {
  readonly multiplier: bigint;
  /** A power of ten. */
  readonly exponent: number;
  readonly notation: Notation;
}

function scaleOf(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { multiplier: 1n, exponent: 3 * decimal - 9, notation: "decimal" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { multiplier: 1024n ** BigInt(binary), exponent: 0, notation: "binary" };
  const power = /^[eE]([-+]?\d{1,18})$/.exec(suffix)?.[1];
  return power === undefined ? undefined : { multiplier: 1n, exponent: Number(power), notation: "exponent" };
}

/** Rounds up to the next nano. */
function shiftRoundingUp(unscaled: bigint, places: number): bigint {
  if (places >= 0) return unscaled * 10n ** BigInt(places);
  if (-places > digitsMax) return unscaled === 0n ? 0n : 1n;
  const divisor = 10n ** BigInt(-places);
  return (unscaled + divisor - 1n) / divisor;
}

export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return new Quantity(left.nanos + right.nanos, left.nanos === 0n ? right.notation : left.notation);
}

export function negateQuantity({ nanos, notation }: Quantity): Quantity {
  return new Quantity(-nanos, notation);
}

export function quantityOf(units: bigint): Quantity {
  return new Quantity(units * nano, "decimal");
}

/** The whole units of a quantity; undefined if it has a fraction. */
export function wholeUnits({ nanos }: Quantity): bigint | undefined {
  return nanos % nano === 0n ? nanos / nano : undefined;
}

export function approximateUnits({ nanos }: Quantity): number {
  return Number(nanos) / Number(nano);
}

/** The canonical text: no fraction, and the largest suffix that allows that. */
export function formatQuantity(quantity: Quantity): string {
  const units = wholeUnits(quantity);
  if (quantity.notation === "binary" && units !== undefined && (units >= 1024n || units <= -1024n)) {
    const [mantissa, steps] = divideOut(units, 1024n, binarySuffixes.length - 1);
    return `${mantissa}${binarySuffixes[steps]}`;
  }
  const stepsMax = quantity.notation === "exponent" ? digitsMax : decimalSuffixes.length - 1;
  const [mantissa, steps] = divideOut(quantity.nanos, 1000n, stepsMax);
  if (quantity.notation !== "exponent") return `${mantissa}${decimalSuffixes[steps]}`;
  return steps === 3 || mantissa === 0n ? String(mantissa) : `${mantissa}e${3 * steps - 9}`;
}

function divideOut(amount: bigint, factor: bigint, stepsMax: number): readonly [mantissa: bigint, steps: number] {
  if (amount === 0n) return [0n, factor === 1000n ? 3 : 0];
  let mantissa = amount;
  let steps = 0;
  while (steps < stepsMax && mantissa % factor === 0n) {
    mantissa /= factor;
    steps += 1;
  }
  return [mantissa, steps];
}
