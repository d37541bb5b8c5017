import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { jsonFault } from "@milo-quota/kubernetes/protocol/json-fault.ts";
import { JsonSyntaxError, readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { mergePatch } from "@milo-quota/kubernetes/protocol/merge-patch.ts";
import { fieldScopeOf, ownedAfterUpdate } from "./field-ownership.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import { withMetadata } from "./metadata/metadata.ts";
import type { WriteRequest } from "./object-request.ts";
import { printed } from "./patch/go-format.ts";
import { applyJsonPatch } from "./patch/json-patch.ts";
import { parseJsonPatch } from "./patch/json-patch-operation.ts";
import { conflictStatus } from "./patch/managed/apply-conflict.ts";
import { applyPatch } from "./patch/managed/apply-patch.ts";
import { badPatch, patchObject } from "./patch/patch-failure.ts";
import { strategicMerge } from "./patch/strategic/strategic-merge.ts";
import { type Patched, patchedObject } from "./sent-object.ts";
import { type NextState, notThere, requireName } from "./update.ts";
import { readYaml } from "./yaml/read-yaml.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface Patch {
  readonly type: PatchType;
  readonly text: string;
  readonly force: boolean;
  readonly name: string;
}

/** The state that a patch makes of what is stored. The patch is read once, however often the write starts over. */
export function nextByPatch(patch: Patch, request: WriteRequest, clock: Clock): NextState {
  if (patch.type === "apply") return nextByApply(patch, request, clock);
  const change = changeOf(patch, request);
  return (current) => {
    if (current === undefined) throw notThere(request, patch.name);
    const patched = requireName(patchedObject(change(current), request), patch.name);
    return ownedAfterUpdate(current, patched, request, clock.now());
  };
}

/** What a manager applies is all that it wants; an object that is not there is made. */
function nextByApply({ text, force, name }: Patch, request: WriteRequest, clock: Clock): NextState {
  const document = readYaml(text, "error decoding YAML: ");
  if (!isJsonObject(document)) throw badPatch("error decoding YAML: the patch is no object");
  const { manager } = request;
  return (current) => {
    const scope = fieldScopeOf(request);
    const result = applyPatch({ live: current, applied: document, manager, force, scope, nowMs: clock.now() });
    if (result.outcome === "conflicts") throw new StatusError(conflictStatus(result.conflicts));
    const object = requireName(patchedObject({ value: result.object, faults: [] }, request), name);
    return withMetadata(object, { managedFields: result.managedFields });
  };
}

function changeOf({ type, text }: Patch, { kind }: WriteRequest): (current: ApiObject) => Patched {
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
    throw badPatch(`error decoding patch: ${jsonFault(text) ?? error.message}`);
  }
}
