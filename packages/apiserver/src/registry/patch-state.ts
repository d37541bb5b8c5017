import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { goJsonError } from "@milo-quota/kubernetes/protocol/go-json-error.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { mergePatch } from "@milo-quota/kubernetes/protocol/merge-patch.ts";
import { decodePatched, type PatchResult } from "./decode-object.ts";
import { fieldScopeOf, withManagedFields } from "./field-ownership.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { withMetadata } from "./metadata/metadata.ts";
import type { WriteRequest } from "./object-request.ts";
import { printed } from "./patch/go-format.ts";
import { applyJsonPatch } from "./patch/json-patch.ts";
import { parseJsonPatch } from "./patch/json-patch-operation.ts";
import { conflictStatus } from "./patch/managed/apply-conflict.ts";
import { applyPatch } from "./patch/managed/apply-patch.ts";
import { badPatch, patchObject } from "./patch/patch-errors.ts";
import { strategicMerge } from "./patch/strategic/strategic-merge.ts";
import { type NextState, notFoundError, requireName } from "./update.ts";
import { readYaml } from "./yaml/read-yaml.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface Patch {
  readonly type: PatchType;
  readonly text: string;
  readonly force: boolean;
  readonly name: string;
}

/** Computes the next state by a patch, which is parsed once, however often the write is retried. */
export function nextByPatch(patch: Patch, request: WriteRequest, clock: Clock): NextState {
  if (patch.type === "apply") return nextByApply(patch, request, clock);
  const change = changeOf(patch, request);
  return (current) => {
    if (current === undefined) throw notFoundError(request, patch.name);
    const patched = requireName(decodePatched(change(current), request), patch.name);
    return withManagedFields(current, patched, request, clock.now());
  };
}

/** Server-side apply; creates a missing object. */
function nextByApply({ text, force, name }: Patch, request: WriteRequest, clock: Clock): NextState {
  const document = readYaml(text, "error decoding YAML: ");
  if (!isJsonObject(document)) throw badPatch("error decoding YAML: the patch is not an object");
  const { manager } = request;
  return (current) => {
    const scope = fieldScopeOf(request);
    const result = applyPatch({ live: current, applied: document, manager, force, scope, nowMs: clock.now() });
    if (result.outcome === "conflicts") throw new StatusError(conflictStatus(result.conflicts));
    const object = requireName(decodePatched({ value: result.object, faults: [] }, request), name);
    return withMetadata(object, { managedFields: result.managedFields });
  };
}

function changeOf({ type, text }: Patch, { kind }: WriteRequest): (current: ApiObject) => PatchResult {
  const document = readPatch(text);
  switch (type) {
    case "json": {
      const { operations, strictIssues } = parseJsonPatch(document);
      return (current) => ({ value: applyJsonPatch(current, operations), faults: strictIssues });
    }
    case "strategic":
      return (current) => ({
        value: strategicMerge(current, document, kind.schema.schema),
        faults: [],
        patch: () => printed(document),
      });
    default: {
      const patch: JsonObject = patchObject(document, "error decoding patch: ");
      return (current) => ({ value: mergePatch(current, patch), faults: [] });
    }
  }
}

function readPatch(text: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badPatch(`error decoding patch: ${goJsonError(text) ?? error.message}`);
  }
}
