import type { ApiAnswer } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { createObject } from "../../registry/create.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { nextByPatch, type PatchType } from "../../registry/patch-state.ts";
import type { Registry } from "../../registry/registry.ts";
import { sentObject } from "../../registry/sent-object.ts";
import { nextByReplacement, requireName, updateObject } from "../../registry/update.ts";
import { objectAnswer } from "../answers/object-answers.ts";
import { type BodyKind, bodyText, contentType, objectBody, unsupportedMediaType } from "./body.ts";
import { type ResourceCall, showingOf, writeRequest } from "./resource-call.ts";
import { parseWriteOptions } from "./write-options.ts";

export async function create(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const showing = showingOf(call, registry.clock.now());
  const write = writeRequest(call, parseWriteOptions(request, "CreateOptions"));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const stored = await createObject(registry, write, sentObject(value, write, duplicates));
  return objectAnswer(201, stored, showing);
}

export async function update(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const showing = showingOf(call, registry.clock.now());
  const write = writeRequest(call, parseWriteOptions(request, "UpdateOptions"));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const object = requireName(sentObject(value, write, duplicates), call.path.name);
  const next = nextByReplacement(object, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectAnswer(created ? 201 : 200, stored, showing);
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

export async function patch(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const showing = showingOf(call, registry.clock.now());
  const type = patchTypes.get(contentType(request));
  if (type === undefined) throw unknownPatchType();
  if (call.kind.isCustom && type === "strategic") throw unsupportedMediaType(customPatchTypes);
  const options = parseWriteOptions(request, "PatchOptions", type === "apply");
  const write = writeRequest(call, options);
  const sent = { type, text: await bodyText(request), force: options.force, name: call.path.name };
  const next = nextByPatch(sent, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectAnswer(created ? 201 : 200, stored, showing);
}

function bodyKind({ group, version, kind, isCustom }: ServedKind): BodyKind {
  return { apiVersion: formatApiVersion(group, version), kind, isCustom };
}
