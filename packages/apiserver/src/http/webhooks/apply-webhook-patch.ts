import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { applyJsonPatch } from "../../registry/patch/json-patch.ts";
import { parseJsonPatch } from "../../registry/patch/json-patch-operation.ts";
import { PatchRejected } from "../../registry/patch/patch-errors.ts";

/** Applies the JSON patch of a webhook. Unlike for a client's patch, the error names the failing operation. */
export function applyWebhookPatch(document: JsonValue, patch: JsonValue): JsonValue {
  try {
    return applyJsonPatch(document, parseJsonPatch(patch).operations);
  } catch (error) {
    throw error instanceof PatchRejected ? new Error(error.detail) : error;
  }
}
