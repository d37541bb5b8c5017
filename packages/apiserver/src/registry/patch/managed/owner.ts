import type { FieldSet } from "../fields/field-set.ts";

/** Somebody who set fields of an object, and which. */
export interface Owner {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  /** The version that the fields are named in. */
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
  readonly timeSeconds: number | undefined;
}

/** All owners of an object, by identity. */
export type Owners = ReadonlyMap<string, Owner>;

export const nobody: Owners = new Map();

/** Whoever applies is the same in every version; whoever updates is another in each. Sorts as Kubernetes sorts. */
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

/** The owner with other fields; the very same one when they are what it has. */
export function withFields(owner: Owner, fields: FieldSet): Owner {
  return fields === owner.fields ? owner : { ...owner, fields };
}

/** The owners after each has been changed, without those that own nothing or are gone. */
export function eachOwner(owners: Owners, change: (owner: Owner, identity: string) => Owner | undefined): Owners {
  const changed = new Map<string, Owner>();
  for (const [identity, owner] of owners) {
    const next = change(owner, identity);
    if (next !== undefined && next.fields.size > 0) changed.set(identity, next);
  }
  return changed;
}
