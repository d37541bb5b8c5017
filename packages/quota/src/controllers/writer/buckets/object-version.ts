import { invalid, type Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** The only parts of a write's response that the writer does not know beforehand. */
export interface ObjectVersion {
  readonly uid: string;
  readonly version: string;
}

export function parseObjectVersion(value: JsonValue): Parsed<ObjectVersion> {
  const metadata = isJsonObject(value) ? ownValue(value, "metadata") : undefined;
  const [uid, version] = isJsonObject(metadata)
    ? [ownValue(metadata, "uid"), ownValue(metadata, "resourceVersion")]
    : [undefined, undefined];
  if (typeof uid === "string" && typeof version === "string") return { ok: true, value: { uid, version } };
  return { ok: false, issues: [invalid("metadata", "", "a stored object has a uid and a resourceVersion")] };
}
