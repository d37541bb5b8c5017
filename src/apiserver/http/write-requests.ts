import { failure, StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import { isJsonObject } from "../../protocol/json-value.ts";
import { formatApiVersion } from "../../protocol/object-meta.ts";
import { createOwned, ownedNew } from "../registry/create.ts";
import { formedNew } from "../registry/forms/forms.ts";
import { nextByWord } from "../registry/forms/vouched-status.ts";
import type { WriteRequest } from "../registry/object-request.ts";
import { nextByPatch, type PatchType } from "../registry/patch-state.ts";
import type { Registry } from "../registry/registry.ts";
import { sentObject } from "../registry/sent-object.ts";
import type { ApiObject, ServedKind } from "../registry/served-kind.ts";
import { type NextState, nextByReplacement, requireName, updateObject } from "../registry/update.ts";
import type { Ordered } from "../storage/object-store.ts";
import type { ApiAnswer, ApiRequest } from "./api-request.ts";
import { type BodyKind, bodyText, contentType, objectBody, type SentBody, unsupportedMediaType } from "./body.ts";
import { handedOver } from "./handed-over.ts";
import { objectAnswer } from "./object-answers.ts";
import { objectText, type Showing, shownObject } from "./representation.ts";
import { type ResourceCall, showingOf, writeRequest } from "./resource-call.ts";
import { parseWriteOptions } from "./write-options.ts";

export async function create(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const showing = showingOf(call, registry.clock.now());
  const options = parseWriteOptions(request, "CreateOptions");
  const write = writeRequest(call, options, orderedFor(registry, request, showing));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const stored = await createOwned(registry, write, newObject({ value, duplicates }, write, registry.clock.now()));
  return objectAnswer(201, stored, showing);
}

function newObject({ value, duplicates }: SentBody, write: WriteRequest, nowMs: number): ApiObject {
  const carefully = (atMs: number): ApiObject => ownedNew(sentObject(value, write, duplicates), write, atMs);
  if (write.vouched === undefined || !isJsonObject(value)) return carefully(nowMs);
  return formedNew(value as ApiObject, write, nowMs, carefully);
}

export async function update(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const { request } = call.context;
  const showing = showingOf(call, registry.clock.now());
  const write = writeRequest(call, parseWriteOptions(request, "UpdateOptions"), orderedFor(registry, request, showing));
  const { value, duplicates } = await objectBody(request, bodyKind(call.kind));
  const carefully = (clock: Pick<Clock, "now">): NextState => {
    const object = requireName(sentObject(value, write, duplicates), call.path.name);
    return nextByReplacement(object, write, clock);
  };
  const { clock } = registry;
  const next = write.vouched === undefined ? carefully(clock) : nextByWord(value, write, clock, carefully);
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
  // Applied objects come as YAML, which reads some texts otherwise than JSON does.
  const document = type === "apply" ? undefined : handedOver(request);
  const sent = document === undefined ? { text: await bodyText(request) } : { text: "", document };
  const target = { type, force: options.force, name: call.path.name };
  const next = nextByPatch({ ...sent, ...target }, write, registry.clock);
  const { stored, created } = await updateObject(registry, write, call.path.name, next);
  return objectAnswer(created ? 201 : 200, stored, showing);
}

/** Tells a caller in this process what it is going to be answered. */
function orderedFor({ store }: Registry, { ordered }: ApiRequest, showing: Showing): Ordered | undefined {
  if (ordered === undefined || showing.accepted.format !== "json") return undefined;
  return (stored) => {
    const place = { key: stored.key, revision: stored.revision, takenBack: store.takenBack };
    ordered(shownObject(stored, objectText(stored, showing)), place);
  };
}

function bodyKind({ group, version, kind, isCustom }: ServedKind): BodyKind {
  return { apiVersion: formatApiVersion(group, version), kind, isCustom };
}
