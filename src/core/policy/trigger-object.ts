import { isJsonObject, type JsonObject, ownValue } from "../../protocol/json-value.ts";
import { type GroupVersionKind, parseApiVersion } from "../../protocol/object-meta.ts";
import { RenderFailure } from "./template-fields.ts";

/** What names and labels need to know of the object a policy is evaluated for. */
export interface TriggerIdentity extends GroupVersionKind {
  readonly namespace: string;
  readonly name: string;
}

/** Throws a RenderFailure for what is no object of Kubernetes: nothing could be said to belong to it. */
export function identityOf(trigger: JsonObject): TriggerIdentity {
  const metadata = ownValue(trigger, "metadata") ?? {};
  const { group, version } = parseApiVersion(text(trigger, "apiVersion"));
  const namespace = isJsonObject(metadata) ? text(metadata, "namespace") : "";
  const name = isJsonObject(metadata) ? text(metadata, "name") : "";
  const kind = text(trigger, "kind");
  const missing = { apiVersion: version, kind, "metadata.name": name };
  for (const [field, value] of Object.entries(missing)) {
    if (value === "") throw new RenderFailure(`the object has no ${field}`);
  }
  return { group, version, kind, namespace, name };
}

/** `resourcemanager.miloapis.com.v1alpha1.Project`, or `core.v1.Pod`: how labels name a kind. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : group}.${version}.${kind}`;
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field);
  return typeof value === "string" ? value : "";
}
