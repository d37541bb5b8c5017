import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { mastersGroup } from "./access/well-known-users.ts";
import { listObject, listText } from "./answers/representation.ts";
import type { ListMetadata, ViewOptions } from "./answers/view-options.ts";
import type { ResourceCall } from "./requests/resource-call.ts";

/** Refuses requests for all planes that nobody in this process vouches for, and those that are no reading of objects. */
export function requireAllPlanes({ context: { request, view }, verb }: ResourceCall, { accepted }: ViewOptions): void {
  if (request.user?.groups.includes(mastersGroup) !== true) {
    throw new StatusError(failure("Forbidden", "only masters in the process of the server see all planes at once"));
  }
  if (view !== undefined) throw new StatusError(failure("BadRequest", "this path is for a part of one plane"));
  if ((verb === "list" || verb === "watch") && accepted.representation === "object") return;
  throw new StatusError(failure("BadRequest", "objects of all planes can be listed and watched, and nothing else"));
}

export function planesListObject(
  items: readonly StoredObject[],
  metadata: ListMetadata,
  showing: ViewOptions,
): JsonObject {
  return { ...listObject(items, metadata, showing), planes: items.map(({ key }) => key.plane) };
}

/** A list that says the plane of each of its items, in their order. */
export function planesListText(items: readonly StoredObject[], metadata: ListMetadata, showing: ViewOptions): string {
  const planes = writeJson(items.map(({ key }) => key.plane));
  return `${listText(items, metadata, showing).slice(0, -1)},"planes":${planes}}`;
}
