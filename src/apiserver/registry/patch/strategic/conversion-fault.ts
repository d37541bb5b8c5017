/** What Go calls the kinds of JSON values when it converts them one by one. */
const goKinds: ReadonlyMap<string, string> = new Map([
  ["number", "int64"],
  ["string", "string"],
  ["bool", "bool"],
  ["array", "slice"],
  ["object", "map"],
]);

/**
 * Kubernetes converts what a strategic merge made without writing it as JSON, and so has other words for a value that
 * does not fit than those of a JSON decoder, which are given. Words that it has no others for stay.
 */
export function conversionFault(decodingFault: string): string {
  const pattern = /^json: cannot unmarshal (\w+)( \S+)? into Go (?:struct field \S+|value) of type (\S+)$/;
  const [, word = "", number = "", type = ""] = pattern.exec(decodingFault) ?? [];
  const from = /[.eE]/.test(number) ? "float64" : goKinds.get(word);
  if (from === undefined) return decodingFault;
  if (type.startsWith("map[")) return `cannot restore map from ${from}`;
  if (type.startsWith("[]")) return `cannot restore slice from ${from}`;
  if (!["string", "bool", "int32", "int64", "float64"].includes(type)) return decodingFault;
  const isConvertible = (from === "int64" && type === "string") || (from === "float64" && type.startsWith("int"));
  return isConvertible ? `cannot convert ${from} to ${type}` : `unrecognized type: ${type}`;
}
