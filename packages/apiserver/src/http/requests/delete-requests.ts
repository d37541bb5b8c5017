import type { ApiAnswer } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { deletedStatus, deleteObject } from "../../registry/delete.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import { listObjects } from "../../registry/list.ts";
import type { DeleteOptions } from "../../registry/object-request.ts";
import type { Registry } from "../../registry/registry.ts";
import { jsonAnswer } from "../answers/answers.ts";
import { listAnswer, objectAnswer } from "../answers/object-answers.ts";
import { parseDeleteOptions } from "./delete-options.ts";
import { parseListOptions } from "./list-options.ts";
import { type ResourceCall, showingOf, writeRequest } from "./resource-call.ts";

export async function remove(registry: Registry, call: ResourceCall): Promise<ApiAnswer> {
  const showing = showingOf(call, registry.clock.now());
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const write = { ...writeRequest(call, noOptions), dryRun };
  const deleted = await deleteObject(registry, write, call.path.name, options);
  if (!deleted.gone) return objectAnswer(acceptedCode(options), deleted.stored, showing);
  if (call.kind.returnsDeleted === true) return objectAnswer(200, deleted.last, showing);
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
  for (let at = 0; at < listed.items.length; at += atOnceMax) {
    const some = listed.items.slice(at, at + atOnceMax);
    const deletes = some.map(({ key }) =>
      deleteObject(registry, { ...write, namespace: key.namespace }, key.name, options).catch(ignoreNotFound),
    );
    await allDone(deletes);
  }
  const metadata = { resourceVersion: String(listed.revision) };
  return listAnswer(listed.items, metadata, showing);
}

/** How many objects of a collection are deleted together: one write to the disk carries them all. */
const atOnceMax = 64;

/** Rejects with the first failure once all are settled. Others get their turn before it goes on. */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  await new Promise((resolve) => setImmediate(resolve));
}

const noOptions = { dryRun: false, manager: "", fieldValidation: "Ignore", force: false } as const;

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.reason !== "NotFound") throw error;
}
