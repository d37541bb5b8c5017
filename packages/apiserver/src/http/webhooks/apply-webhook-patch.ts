import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { applyJsonPatch } from "../../registry/patch/json-patch.ts";
import { parseJsonPatch } from "../../registry/patch/json-patch-operation.ts";
import { PatchRejected } from "../../registry/patch/patch-failure.ts";

/** Applies the JSON patch of a webhook. Unlike for a client's own patch, the answer says which step fails. */
export function applyWebhookPatch(document: JsonValue, patch: JsonValue): JsonValue {
  try {
    return applyJsonPatch(document, parseJsonPatch(patch).operations);
  } catch (error) {
    throw error instanceof PatchRejected ? new Error(error.because) : error;
  }
}
