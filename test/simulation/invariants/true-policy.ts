import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type CompiledClaimPolicy, compileClaimPolicy } from "@milo-quota/quota/core/policy/claim-policy.ts";
import { parseClaimCreationPolicy } from "@milo-quota/quota/core/resources/claim-creation-policy.ts";
import type { TrueObject } from "../world/world.ts";
import { at, conditionAt, textAt } from "./json-fields.ts";

/** A claim policy as it is stored. */
export interface TruePolicy {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly name: string;
  /** Of the trigger, group and kind. */
  readonly triggerKind: string;
  readonly isEnforced: boolean;
  readonly isReady: boolean;
  readonly adoptsExisting: boolean;
  /** All of it but its status. */
  readonly specText: string;
  /** Undefined when it cannot be compiled. */
  readonly compiled: CompiledClaimPolicy | undefined;
}

export function readTruePolicy({ key, object }: TrueObject): TruePolicy {
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
