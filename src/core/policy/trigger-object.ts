import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { type GroupVersionKind, parseApiVersion } from "../../protocol/object-meta.ts";

/** What names and labels need to know of the object a policy is evaluated for. */
export interface TriggerIdentity extends GroupVersionKind {
  readonly namespace: string;
  readonly name: string;
}

export function identityOf(trigger: JsonObject): TriggerIdentity {
  const metadata = ownValue(trigger, "metadata");
  const { group, version } = parseApiVersion(text(ownValue(trigger, "apiVersion")));
  return {
    group,
    version,
    kind: text(ownValue(trigger, "kind")),
    namespace: isJsonObject(metadata) ? text(ownValue(metadata, "namespace")) : "",
    name: isJsonObject(metadata) ? text(ownValue(metadata, "name")) : "",
  };
}

/** `resourcemanager.miloapis.com.v1alpha1.Project`, or `core.v1.Pod`: how labels name a kind. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : group}.${version}.${kind}`;
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
