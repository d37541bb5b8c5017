import { invalid, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** What is new in the answer to a write of ours. */
export interface Written {
  readonly uid: string;
  readonly version: string;
}

export function parseWritten(value: JsonValue): Parsed<Written> {
  const metadata = isJsonObject(value) ? ownValue(value, "metadata") : undefined;
  const [uid, version] = isJsonObject(metadata)
    ? [ownValue(metadata, "uid"), ownValue(metadata, "resourceVersion")]
    : [undefined, undefined];
  if (typeof uid === "string" && typeof version === "string") return { ok: true, value: { uid, version } };
  return { ok: false, issues: [invalid("metadata", "", "a stored object has a uid and a resourceVersion")] };
}
