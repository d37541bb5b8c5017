import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { canonicalJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { OwnerReference } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ObjectRequest } from "../object-request.ts";
import { withMetadata } from "./metadata.ts";

const duplicateWarning =
  ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed:";

/** Removes duplicate owner references, with a warning. */
export function distinctOwners(object: ApiObject, { warn }: ObjectRequest): ApiObject {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length < 2) return object;
  const known = new Set<string>();
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    const identity = canonicalJson(owner as unknown as JsonValue);
    if (known.has(identity)) repeated.push(owner.uid);
    else kept.push(owner);
    known.add(identity);
  }
  if (repeated.length === 0) return object;
  warn(`${duplicateWarning} ${repeated.join(", ")}`);
  return withMetadata(object, { ownerReferences: kept });
}
