import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type FieldRequirement, matchesFields } from "@milo-quota/kubernetes/protocol/selectors/field-selector.ts";
import { type LabelRequirements, matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import type { ServedKind } from "./kinds/served-kind.ts";

/** Label and field selectors. */
export interface Selectors {
  readonly labels: LabelRequirements;
  readonly fields: readonly FieldRequirement[];
}

export function selectsEverything({ labels, fields }: Selectors): boolean {
  return labels.length === 0 && fields.length === 0;
}

/** An object is parsed only if its key does not suffice. */
export function selects({ labels, fields }: Selectors, stored: StoredObject, kind: ServedKind): boolean {
  return (
    (fields.length === 0 || matchesFields(fields, (field) => fieldValue(stored, field, kind))) &&
    (labels.length === 0 || matchesLabels(labels, stored.object.metadata.labels ?? {}))
  );
}

/** A selector on an unsupported field is an error, not an empty result. */
export function checkFields(fields: readonly FieldRequirement[], kind: ServedKind): void {
  const known = ["metadata.name", "metadata.namespace"];
  const unknown = fields.find(({ field }) => ![...known, ...kind.selectableFields].includes(field));
  if (unknown === undefined) return;
  const isPlain = !kind.isCustom && kind.selectableFields.length === 0;
  const message = isPlain
    ? `${quote(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${unknown.field}`;
  throw new StatusError(failure("BadRequest", message));
}

function fieldValue(stored: StoredObject, field: string, { rules }: ServedKind): string {
  if (field === "metadata.name") return stored.key.name;
  if (field === "metadata.namespace") return stored.key.namespace;
  const object = stored.object as ApiObject;
  const special = rules.selectField?.(object, field);
  if (special !== undefined) return special;
  let value: JsonValue | undefined = object;
  for (const step of field.split(".")) value = isJsonObject(value) ? ownValue(value, step) : undefined;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
