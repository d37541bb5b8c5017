import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "../../../../protocol/field-issue.ts";
import { nameFaults, unless } from "../field-checks.ts";
import { configMapKey } from "../name-rules.ts";
import type { EnvVar } from "./pod-object.ts";

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const nameFault = "a valid environment variable name must consist only of printable ASCII characters other than '='";

export function environmentIssues(variables: readonly EnvVar[], path: string): readonly FieldIssue[] {
  return variables.flatMap((variable, index) => {
    const at = itemPath(path, index);
    const { name } = variable;
    return [
      ...(name === ""
        ? [required(childPath(at, "name"))]
        : unless(/^[\x20-\x3c\x3e-\x7e]+$/.test(name), () => invalid(childPath(at, "name"), name, nameFault))),
      ...(variable.valueFrom === undefined ? [] : sourceIssues(variable, childPath(at, "valueFrom"))),
    ];
  });
}

function sourceIssues({ value = "", valueFrom = {} }: EnvVar, path: string): readonly FieldIssue[] {
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  return [
    ...given.flatMap((source) => referenceIssues(source, valueFrom[source] ?? {}, childPath(path, source))),
    ...countIssues(given.length, value, path),
  ];
}

function countIssues(count: number, value: string, path: string): readonly FieldIssue[] {
  if (count === 0) {
    const oneOf = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    return [invalid(path, "", oneOf)];
  }
  if (value !== "") return [invalid(path, "", "may not be specified when `value` is not empty")];
  return unless(count === 1, () => invalid(path, "", "may not have more than one field specified at a time"));
}

/** What a container may be told of its pod in a variable, and what only in a file. */
const fieldsOfPod = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const fieldsElsewhere = [
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
];

function fieldIssues(field: string, path: string): readonly FieldIssue[] {
  if (field === "") return [required(path)];
  if (
    fieldsOfPod.includes(field) ||
    field === "spec.host" ||
    /^metadata\.(?:annotations|labels)\['.*'\]$/.test(field)
  ) {
    return [];
  }
  if (fieldsElsewhere.includes(field)) return [notSupported(path, field, fieldsOfPod)];
  return [invalid(path, field, `error converting fieldPath: field label not supported: ${field}`)];
}

function referenceIssues(
  source: string,
  reference: { readonly key?: string; readonly fieldPath?: string },
  path: string,
): readonly FieldIssue[] {
  if (source === "fieldRef") {
    return fieldIssues(reference.fieldPath ?? "", childPath(path, "fieldPath"));
  }
  if (source !== "configMapKeyRef" && source !== "secretKeyRef") return [];
  const { key = "" } = reference;
  return key === "" ? [required(childPath(path, "key"))] : nameFaults(childPath(path, "key"), key, configMapKey);
}
