import { childPath, type FieldIssue, invalid } from "../field-issue.ts";
import { type OwnerReference, parseApiVersion } from "../object-meta.ts";

const path = "metadata.ownerReferences";
const none: readonly never[] = [];

export function ownerIssues(owners: readonly OwnerReference[]): readonly FieldIssue[] {
  const [only] = owners;
  if (owners.length === 1 && only?.apiVersion && only.kind && only.kind !== "Event" && only.name && only.uid)
    return none;
  return [...owners.flatMap(ownerFaults), ...controllerFaults(owners)];
}

function ownerFaults(owner: OwnerReference): readonly FieldIssue[] {
  const { version, group } = parseApiVersion(owner.apiVersion ?? "");
  const empty = (["kind", "name", "uid"] as const).filter((field) => !owner[field]);
  const isEvent = group === "" && version === "v1" && owner.kind === "Event";
  return [
    ...(version === ""
      ? [invalid(childPath(path, "apiVersion"), owner.apiVersion ?? "", "version must not be empty")]
      : []),
    ...empty.map((field) => invalid(childPath(path, field), "", "must not be empty")),
    ...(isEvent ? [invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")] : []),
  ];
}

function controllerFaults(owners: readonly OwnerReference[]): readonly FieldIssue[] {
  const [first, ...others] = owners
    .filter((owner) => owner.controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  const fault = `Only one reference can have Controller set to true. Found "true" in references for`;
  return others.map((other) => invalid(path, owners, `${fault} ${first} and ${other}`));
}
