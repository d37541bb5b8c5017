import type { FieldSet } from "../fields/field-set.ts";

/** A field manager of an object, with its fields. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version of the field names. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
  readonly timeSeconds: number | undefined;
}

/** All owners of an object, by identity. */
export type Owners = ReadonlyMap<string, Owner>;

export const noOwners: Owners = new Map();

/** An applier has one identity for all versions, an updater one per version. Sorts as in Kubernetes. */
export function ownerIdentity({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<Owner, "fields" | "timeSeconds">): string {
  const named = manager === "" ? "" : `"manager":${JSON.stringify(manager)},`;
  const versioned = operation === "Apply" ? "" : `,"apiVersion":${JSON.stringify(apiVersion)}`;
  const below = subresource === "" ? "" : `,"subresource":${JSON.stringify(subresource)}`;
  return `{${named}"operation":"${operation}"${versioned}${below}}`;
}

/** The owner with other fields; the same object if they are unchanged. */
export function withFields(owner: Owner, fields: FieldSet): Owner {
  return fields === owner.fields ? owner : { ...owner, fields };
}

/** Maps all owners, dropping those without fields. */
export function eachOwner(owners: Owners, change: (owner: Owner, identity: string) => Owner | undefined): Owners {
  const changed = new Map<string, Owner>();
  for (const [identity, owner] of owners) {
    const next = change(owner, identity);
    if (next !== undefined && next.fields.size > 0) changed.set(identity, next);
  }
  return changed;
}
