import type { Clock } from "../../protocol/clock.ts";
import { jsonFault } from "../../protocol/json-fault.ts";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import type { JsonObject, JsonValue } from "../../protocol/json-value.ts";
import { mergePatch } from "../../protocol/merge-patch.ts";
import { ownedAfterUpdate } from "./field-ownership.ts";
import type { WriteRequest } from "./object-request.ts";
import { applyJsonPatch } from "./patch/json-patch.ts";
import { parseJsonPatch } from "./patch/json-patch-operation.ts";
import { badPatch, patchObject } from "./patch/patch-failure.ts";
import { strategicMerge } from "./patch/strategic/strategic-merge.ts";
import { patchedObject } from "./sent-object.ts";
import type { ApiObject } from "./served-kind.ts";
import { type NextState, notThere, requireName } from "./update.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

export interface Patch {
  readonly type: PatchType;
  readonly text: string;
  readonly force: boolean;
  readonly name: string;
}

/** The state that a patch makes of what is stored. The patch is read once, however often the write starts over. */
export function nextByPatch(patch: Patch, request: WriteRequest, clock: Clock): NextState {
  const change = changeOf(patch, request);
  return (current) => {
    if (current === undefined) throw notThere(request, patch.name);
    const { value, faults } = change(current);
    const patched = requireName(patchedObject(value, request, faults), patch.name);
    return ownedAfterUpdate(current, patched, request, clock.now());
  };
}

interface Patched {
  readonly value: JsonValue;
  /** What strict clients are told of. */
  readonly faults: readonly string[];
}

function changeOf({ type, text }: Patch, { kind }: WriteRequest): (current: ApiObject) => Patched {
  const document = readPatch(text);
  switch (type) {
    case "json": {
      const { operations, strictIssues } = parseJsonPatch(document);
      return (current) => ({ value: applyJsonPatch(current, operations), faults: strictIssues });
    }
    case "strategic":
      return (current) => ({ value: strategicMerge(current, document, kind.schema.schema), faults: [] });
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
