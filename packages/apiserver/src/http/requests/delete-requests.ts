import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { deletedStatus, deleteObject } from "../../registry/delete.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import { listObjects } from "../../registry/list.ts";
import type { DeleteOptions } from "../../registry/object-request.ts";
import type { Registry } from "../../registry/registry.ts";
import { listResponse, objectResponse } from "../responses/object-responses.ts";
import { jsonResponse } from "../responses/responses.ts";
import { parseDeleteOptions } from "./delete-options.ts";
import { parseListOptions } from "./list-options.ts";
import { type ResourceCall, viewOptionsOf, writeRequest } from "./resource-call.ts";

export async function deleteResource(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const write = { ...writeRequest(call, noOptions), dryRun };
  const deleted = await deleteObject(registry, write, call.path.name, options);
  if (!deleted.gone) return objectResponse(acceptedCode(options), deleted.stored, viewOptions);
  if (call.kind.returnsDeleted === true) return objectResponse(200, deleted.last, viewOptions);
  return jsonResponse(200, deletedStatus(write, deleted.last.object as ApiObject), viewOptions.accepted);
}

/** `orphanDependents` is answered by another code than `propagationPolicy`. */
function acceptedCode({ orphanDependents }: DeleteOptions): number {
  return orphanDependents === false ? 202 : 200;
}

export async function deleteCollection(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const viewOptions = viewOptionsOf(call, registry.clock.now());
  const { options, dryRun } = await parseDeleteOptions(call.context.request);
  const { selection, limit, continueToken } = parseListOptions(call.context.request.query, call.kind, "");
  const write = { ...writeRequest(call, noOptions), dryRun };
  const listed = listObjects(registry, write, { selection, limit, continueToken });
  for (let at = 0; at < listed.items.length; at += concurrencyMax) {
    const some = listed.items.slice(at, at + concurrencyMax);
    const deletes = some.map(({ key }) =>
      deleteObject(registry, { ...write, namespace: key.namespace }, key.name, options).catch(ignoreNotFound),
    );
    await allDone(deletes);
  }
  const metadata = { resourceVersion: String(listed.revision) };
  return listResponse(listed.items, metadata, viewOptions);
}

/** Objects of a collection that are deleted at once: they share one write to the disk. */
const concurrencyMax = 64;

/** Rejects with the first failure once all are settled. Yields to other requests before it returns. */
async function allDone(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  await new Promise((resolve) => setImmediate(resolve));
}

const noOptions = { dryRun: false, manager: "", fieldValidation: "Ignore", force: false } as const;

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof StatusError) || error.status.reason !== "NotFound") throw error;
}
