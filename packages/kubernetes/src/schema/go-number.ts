/** From here on Go prints an exponent. */
const exponentMin = 6;

/**
 * A bound as Kubernetes prints it beside a value: digits if both are integers, else the shortest form of a double, with
 * an exponent from a million on.
 */
export function goNumber(bound: number, beside: number | bigint): string {
  const isInteger = typeof beside === "bigint" || Number.isInteger(beside);
  return isInteger && Number.isInteger(bound) ? BigInt(bound).toString() : goDouble(bound);
}

/** A double as Go prints it. */
export function goDouble(value: number): string {
  const [digits = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < exponentMin) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
