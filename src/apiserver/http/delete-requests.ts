import { StatusError } from "../../protocol/api-status.ts";
import { type DeleteOptions, deletedStatus, deleteObject } from "../registry/delete.ts";
import { listObjects } from "../registry/list.ts";
import type { Registry } from "../registry/registry.ts";
import type { ApiObject } from "../registry/served-kind.ts";
import { jsonAnswer, textAnswer } from "./answers.ts";
import type { ApiAnswer } from "./api-request.ts";
import { parseDeleteOptions } from "./delete-options.ts";
import { parseListOptions } from "./list-options.ts";
import { listText, objectText } from "./representation.ts";
import { type ResourceCall, showingOf, writeRequest } from "./resource-call.ts";

export async function remove(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const showing = showingOf(call, registry.clock.now());
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const write = { ...writeRequest(call, noOptions), dryRun };
  const deleted = await deleteObject(registry, write, call.path.name, options);
  if (!deleted.gone) return textAnswer(acceptedCode(options), objectText(deleted.stored, showing), showing.accepted);
  if (call.kind.returnsDeleted === true) return textAnswer(200, objectText(deleted.last, showing), showing.accepted);
  return jsonAnswer(200, deletedStatus(write, deleted.last.object as ApiObject), showing.accepted);
}

/** The old way to ask for dependents to go first is answered by another code than the new one. */
function acceptedCode({ orphanDependents }: DeleteOptions): number {
  return orphanDependents === false ? 202 : 200;
}

export async function removeCollection(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const showing = showingOf(call, registry.clock.now());
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const { selection, limit, continueToken } = parseListOptions(call.context.request.query, call.kind, "");
  const write = { ...writeRequest(call, noOptions), dryRun };
  const listed = listObjects(registry, write, { selection, limit, continueToken });
  for (const { key } of listed.items) {
    await deleteObject(registry, { ...write, namespace: key.namespace }, key.name, options).catch(ignoreNotFound);
  }
  const metadata = { resourceVersion: String(listed.revision) };
  return textAnswer(200, listText(listed.items, metadata, showing), showing.accepted);
}

const noOptions = { dryRun: false, manager: "", fieldValidation: "Ignore", force: false } as const;

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.reason !== "NotFound") throw error;
}
