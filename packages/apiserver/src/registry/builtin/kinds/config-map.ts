import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  tooLong,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { builtinKind } from "../builtin-kind.ts";
import { ageColumn, nameColumn, textColumn, typed } from "../columns.ts";
import { isEqual, nameRuleIssues } from "../field-checks.ts";
import { configMapKey } from "../name-rules.ts";
import { base64Bytes } from "../typed/base64-text.ts";

interface ConfigMap {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** Limit on the total size of the values of a ConfigMap or Secret. */
export const contentBytesMax = 1024 * 1024;

export const configMap = builtinKind<ConfigMap>({
  struct: "core.v1.ConfigMap",
  group: "",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  columns: [
    nameColumn,
    textColumn(
      "Data",
      typed<ConfigMap>(({ data = {}, binaryData = {} }) => count(data) + count(binaryData)),
    ),
    ageColumn,
  ],
  validate: (object, old) => [
    ...(old?.immutable === true ? changeIssues(object, old, ["data", "binaryData"]) : []),
    ...contentIssues(object),
  ],
});

function contentIssues({ data = {}, binaryData = {} }: ConfigMap): readonly FieldIssue[] {
  const texts = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  const bytes = Object.values(binaryData).reduce((sum, value) => sum + base64Bytes(value), 0);
  return [
    ...keyIssues("data", data),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalid(itemPath("data", key), key, "duplicate of key present in binaryData")),
    ...keyIssues("binaryData", binaryData),
    ...(texts + bytes > contentBytesMax ? [tooLong("[]", contentBytesMax)] : []),
  ];
}

export function keyIssues(path: string, content: Readonly<Record<string, string>>): readonly FieldIssue[] {
  return Object.keys(content).flatMap((key) => nameRuleIssues(itemPath(path, key), key, configMapKey));
}

/** Changes that an immutable object does not allow. */
export function changeIssues<Kind extends { readonly immutable?: boolean }>(
  object: Kind,
  old: Kind,
  fields: readonly (keyof Kind & string)[],
): readonly FieldIssue[] {
  const changed = fields.filter((field) => !isEqual(object[field], old[field]));
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    forbidden(childPath("", field), "field is immutable when `immutable` is set"),
  );
}

function count(content: Readonly<Record<string, string>>): number {
  return Object.keys(content).length;
}
