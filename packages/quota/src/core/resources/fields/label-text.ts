import { labelLengthMax, labelValue } from "@milo-quota/kubernetes/protocol/names.ts";
import { stableHash } from "../stable-hash.ts";

const labelHashLength = 10;

/** Returns the text if it is a valid label value; otherwise a shortened one that a hash makes unique. */
export function labelText(text: string): string {
  if (labelValue(text).length === 0) return text;
  const readable = text
    .replace(/[^-A-Za-z0-9_.]/g, "-")
    .slice(0, labelLengthMax - labelHashLength - 1)
    .replace(/^[^A-Za-z0-9]+/, "");
  return `${readable}-${stableHash([text], labelHashLength)}`.replace(/^-/, "");
}
