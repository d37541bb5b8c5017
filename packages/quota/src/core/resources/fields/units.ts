import type { Amount } from "./amount.ts";

/** The units of a registration. */
export interface Unit {
  readonly baseUnit: string;
  readonly displayUnit: string;
  /** How many base units make one display unit. */
  readonly factor: bigint;
}

const thousandth = 1000n;

/** An amount in display units: `8 GiB`, `1 project`, `2.5 cores`. Up to three decimals, rounded half up. */
export function displayAmount(amount: Amount, unit: Unit): string {
  return withUnit(bareNumber(amount, unit, "nearest"), unit);
}

/** For use next to an amount that names the unit already: `3` if the unit is a word, `8 GiB` if it is a symbol. */
export function displayNumber(amount: Amount, unit: Unit): string {
  return beside(bareNumber(amount, unit, "nearest"), unit);
}

/** Rounded down, because `requested 1 core, available 1` would not explain a rejection. */
export function displayFloor(amount: Amount, unit: Unit): string {
  return beside(bareNumber(amount, unit, "down"), unit);
}

function withUnit(number: string, { displayUnit }: Unit): string {
  const isOne = number === "1" || number === "-1";
  return `${number} ${isOne ? singular(displayUnit) : plural(displayUnit)}`;
}

function beside(number: string, unit: Unit): string {
  return isWord(unit.displayUnit) ? number : withUnit(number, unit);
}

function bareNumber(amount: Amount, { factor }: Unit, rounding: "nearest" | "down"): string {
  const scaled = amount * thousandth;
  const rounded = rounding === "down" && amount >= 0n ? scaled / factor : roundedQuotient(scaled, factor);
  if (rounded === 0n && amount !== 0n) return amount < 0n ? "-<0.001" : "<0.001";
  return decimal(rounded);
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

/** Thousandths as a decimal number without trailing zeros. */
function decimal(thousandths: bigint): string {
  const magnitude = thousandths < 0n ? -thousandths : thousandths;
  const fraction = (magnitude % thousandth).toString().padStart(3, "0").replace(/0+$/, "");
  const whole = `${thousandths < 0n ? "-" : ""}${magnitude / thousandth}`;
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Words that look like a plural, but are not. */
const singulars = new Set(["lens", "gas", "bias", "series", "species", "axis", "basis", "analysis"]);

/** Symbols such as GiB or TB stay unchanged; words get an s, unless they are plurals already. */
function plural(unit: string): string {
  if (!isWord(unit) || isPlural(unit) || /^(series|species)$/.test(unit)) return unit;
  if (/sis$/.test(unit)) return `${unit.slice(0, -2)}es`;
  if (/(s|x|z|ch|sh)$/.test(unit)) return `${unit}es`;
  return /[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}

function singular(unit: string): string {
  if (!isWord(unit) || !isPlural(unit)) return unit;
  if (/[^aeiou]ies$/.test(unit)) return `${unit.slice(0, -3)}y`;
  return /(sses|xes|zes|ches|shes)$/.test(unit) ? unit.slice(0, -2) : unit.slice(0, -1);
}

function isWord(unit: string): boolean {
  return /^[a-z][a-z -]+[a-z]$/.test(unit);
}

function isPlural(unit: string): boolean {
  return /[^siu]s$/.test(unit) && !singulars.has(unit);
}
