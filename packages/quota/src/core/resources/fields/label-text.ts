import { labelLengthMax, labelValue } from "@milo-quota/kubernetes/protocol/names.ts";
import { stableHash } from "../stable-hash.ts";

const labelHashLength = 10;

/** A text as the value of a label: as it is where that is legal, else shortened and made unique by a hash. */
export function labelText(text: string): string {
  if (labelValue(text).length === 0) return text;
  const readable = text
    .replace(/[^-A-Za-z0-9_.]/g, "-")
    .slice(0, labelLengthMax - labelHashLength - 1)
    .replace(/^[^A-Za-z0-9]+/, "");
  return `${readable}-${stableHash([text], labelHashLength)}`.replace(/^-/, "");
}
