import { type FieldIssue, invalid, itemPath, required, tooLong } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { goJsonError as faultOf } from "@milo-quota/kubernetes/protocol/go-json-error.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { immutable } from "../field-checks.ts";
import { base64Bytes } from "../typed/base64-text.ts";
import { ensureNestedObject, nestedObject, setDefault } from "../typed/draft.ts";
import type { DraftObject } from "../typed/go-round-trip.ts";
import { changeIssues, contentBytesMax, keyIssues } from "./config-map.ts";

interface Secret {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly immutable?: boolean;
}

const serviceAccountName = "kubernetes.io/service-account.name";

export const secret = builtinKind<Secret>({
  struct: "core.v1.Secret",
  group: "",
  plural: "secrets",
  scope: "Namespaced",
  selectableFields: ["type"],
  columns: [
    nameColumn,
    textColumn(
      "Type",
      typed<Secret>(({ type = "" }) => type),
    ),
    textColumn(
      "Data",
      typed<Secret>(({ data = {} }) => Object.keys(data).length),
    ),
    ageColumn,
  ],
  defaults: (draft) => {
    writeStringData(draft);
    setDefault(draft, "type", "Opaque");
  },
  validate: (object, old) => [
    ...(old === undefined ? [] : immutable("type", object.type, old.type)),
    ...(old?.immutable === true ? changeIssues(object, old, ["data"]) : []),
    ...contentIssues(object),
    ...typeIssues(object),
  ],
});

/** `stringData` is write-only: it is merged into `data`, where it takes precedence. */
function writeStringData(draft: DraftObject): void {
  const texts = nestedObject(draft, "stringData");
  if (texts === undefined) return;
  const data = ensureNestedObject(draft, "data");
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString("base64");
  delete draft["stringData"];
}

function contentIssues({ data = {} }: Secret): readonly FieldIssue[] {
  const bytes = Object.values(data).reduce((sum, value) => sum + base64Bytes(value), 0);
  return [...keyIssues("data", data), ...(bytes > contentBytesMax ? [tooLong("data", contentBytesMax)] : [])];
}

/** Keys that the well-known types require. */
function typeIssues({ type = "", data = {}, metadata }: Secret): readonly FieldIssue[] {
  const missing = (...keys: string[]): FieldIssue[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(itemPath("data", key)));
  switch (type) {
    case "kubernetes.io/service-account-token":
      return metadata.annotations?.[serviceAccountName]
        ? []
        : [required(itemPath("metadata.annotations", serviceAccountName))];
    case "kubernetes.io/dockercfg":
      return jsonIssues(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return jsonIssues(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth":
      return missing("username", "password").length === 2 ? missing("username", "password") : [];
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required(itemPath("data", "ssh-privatekey"))];
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function jsonIssues(data: Readonly<Record<string, string>>, key: string): readonly FieldIssue[] {
  const path = itemPath("data", key);
  const content = Object.hasOwn(data, key) ? data[key] : undefined;
  if (content === undefined) return [required(path)];
  const fault = jsonFault(Buffer.from(content, "base64").toString());
  return fault === undefined ? [] : [invalid(path, "<secret contents redacted>", fault)];
}

function jsonFault(text: string): string | undefined {
  if (text === "") return "unexpected end of JSON input";
  try {
    const value = readJson(text);
    return isJsonObject(value) ? undefined : typeFault("object", value);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return faultOf(text) ?? error.message;
    throw error;
  }
}
