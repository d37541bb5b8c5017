/** The shortest text that reads back as the same double, spelled as Go's `%g`: `0.1`, `100000`, `1e+06`, `+Inf`. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  return power < -4 || power >= 6 ? `${mantissa}e${formatExponent(power)}` : plainDecimal(value);
}

/** At least two digits: `+06`, `-05`, `+300`. */
export function formatExponent(power: number): string {
  return `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** The same digits without an exponent, however many zeros that takes; `Infinity` and `NaN` in full. */
export function plainDecimal(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  const [, sign = "", whole = "", fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const power = Number(exponent);
  const digits = whole + fraction;
  return power < 0 ? `${sign}0.${"0".repeat(-power - 1)}${digits}` : sign + digits.padEnd(power + 1, "0");
}
