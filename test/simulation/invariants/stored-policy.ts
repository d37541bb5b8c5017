import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type CompiledClaimPolicy, compileClaimPolicy } from "@milo-quota/quota/core/policy/claim-policy.ts";
import { parseClaimCreationPolicy } from "@milo-quota/quota/core/resources/claim-creation-policy.ts";
import type { StoredObject } from "../world/world.ts";
import { at, conditionAt, textAt } from "./json-fields.ts";

/** A stored ClaimCreationPolicy. */
export interface StoredPolicy {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly name: string;
  /** Group and kind of the trigger. */
  readonly triggerKind: string;
  readonly isEnforced: boolean;
  readonly isReady: boolean;
  readonly adoptsExisting: boolean;
  /** JSON of the spec. */
  readonly specText: string;
  /** Undefined if it does not compile. */
  readonly compiled: CompiledClaimPolicy | undefined;
}

export function readStoredPolicy({ key, object }: StoredObject): StoredPolicy {
  const spec = at(object, "spec");
  const apiVersion = textAt(spec, "trigger", "resource", "apiVersion");
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const parsed = parseClaimCreationPolicy(object);
  const compiled = parsed.ok ? compileClaimPolicy(parsed.value) : undefined;
  const isEnabled = parsed.ok && parsed.value.enabled;
  return {
    key,
    uid: textAt(object, "metadata", "uid"),
    name: key.name,
    triggerKind: `${group}/${textAt(spec, "trigger", "resource", "kind")}`,
    isEnforced: isEnabled && textAt(spec, "mode") !== "Shadow",
    isReady: textAt(conditionAt(object, "Ready"), "status") === "True",
    adoptsExisting: textAt(spec, "existingObjects") === "Adopt",
    specText: writeJson(spec ?? {}),
    compiled: compiled?.ok === true ? compiled.policy : undefined,
  };
}
