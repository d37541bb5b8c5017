import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { createObject } from "../../registry/create.ts";
import { decodeObject } from "../../registry/decode-object.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { nextByPatch, type PatchType } from "../../registry/patch-state.ts";
import type { Registry } from "../../registry/registry.ts";
import { nextByReplacement, requireName, updateObject } from "../../registry/update.ts";
import { objectResponse } from "../responses/object-responses.ts";
import { type BodyKind, bodyText, contentType, objectBody, unsupportedMediaType } from "./body.ts";
import { type ResourceCall, viewOptionsOf, writeRequest } from "./resource-call.ts";
import { parseWriteOptions } from "./write-options.ts";

export async function createResource(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const { request } = call.context;
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const write = writeRequest(call, parseWriteOptions(request, "CreateOptions"));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const stored = await createObject(registry, write, decodeObject(value, write, duplicates));
  return objectResponse(201, stored, viewOptions);
}

export async function updateResource(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const { request } = call.context;
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const write = writeRequest(call, parseWriteOptions(request, "UpdateOptions"));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const object = requireName(decodeObject(value, write, duplicates), call.path.name);
  const next = nextByReplacement(object, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectResponse(created ? 201 : 200, stored, viewOptions);
}

export const patchTypes: ReadonlyMap<string, PatchType> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

const customPatchTypes = [...patchTypes].filter(([, type]) => type !== "strategic").map(([name]) => name);

function unknownPatchType(): StatusError {
  return new StatusError(failure("UnsupportedMediaType", "415: Unsupported Media Type", {}));
}

export async function patchResource(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const { request } = call.context;
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const type = patchTypes.get(contentType(request));
  if (type === undefined) throw unknownPatchType();
  if (call.kind.isCustom && type === "strategic") throw unsupportedMediaType(customPatchTypes);
  const options = parseWriteOptions(request, "PatchOptions", type === "apply");
  const write = writeRequest(call, options);
  const sent = { type, text: await bodyText(request), force: options.force, name: call.path.name };
  const next = nextByPatch(sent, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectResponse(created ? 201 : 200, stored, viewOptions);
}

function bodyKind({ group, version, kind, isCustom }: ServedKind): BodyKind {
  return { apiVersion: formatApiVersion(group, version), kind, isCustom };
}
