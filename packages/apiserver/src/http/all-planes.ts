import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { mastersGroup } from "./access/well-known-users.ts";
import type { ResourceCall } from "./requests/resource-call.ts";
import { listObject, listText } from "./responses/representation.ts";
import type { ListMetadata, ViewOptions } from "./responses/view-options.ts";

/** Rejects all-planes requests from outside the process, and those that are not reads of objects. */
export function requireAllPlanes({ context: { request, view }, verb }: ResourceCall, { accepted }: ViewOptions): void {
  if (request.user?.groups.includes(mastersGroup) !== true) {
    throw new StatusError(
      failure("Forbidden", "only members of system:masters inside the server process may read across all planes"),
    );
  }
  if (view !== undefined)
    throw new StatusError(failure("BadRequest", "this path is restricted to a part of one plane"));
  if ((verb === "list" || verb === "watch") && accepted.representation === "object") return;
  throw new StatusError(failure("BadRequest", "only list and watch are supported across all planes"));
}

export function planesListObject(
  items: readonly StoredObject[],
  metadata: ListMetadata,
  viewOptions: ViewOptions,
): JsonObject {
  return { ...listObject(items, metadata, viewOptions), planes: items.map(({ key }) => key.plane) };
}

/** A list that names the plane of each of its items, in order. */
export function planesListText(
  items: readonly StoredObject[],
  metadata: ListMetadata,
  viewOptions: ViewOptions,
): string {
  const planes = writeJson(items.map(({ key }) => key.plane));
  return `${listText(items, metadata, viewOptions).slice(0, -1)},"planes":${planes}}`;
}
