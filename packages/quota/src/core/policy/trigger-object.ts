import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { dnsLabel, dnsSubdomain, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";
import { type GroupVersionKind, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { kindSchema } from "../resources/fields/consumer-ref.ts";
import { pathSegment } from "./path-segment.ts";
import { excerpt } from "./quoted-excerpt.ts";
import { RenderFailure } from "./template-fields.ts";

/** The identity of the object that a policy is evaluated for. */
export interface TriggerIdentity extends GroupVersionKind {
  readonly namespace: string;
  readonly name: string;
}

/** Throws RenderFailure if the object is not a valid Kubernetes object. */
export function identityOf(trigger: JsonObject): TriggerIdentity {
  const metadata = ownValue(trigger, "metadata") ?? {};
  const { group, version } = parseApiVersion(text(trigger, "apiVersion"));
  const identity: TriggerIdentity = {
    group,
    version,
    kind: text(trigger, "kind"),
    namespace: isJsonObject(metadata) ? text(metadata, "namespace") : "",
    name: isJsonObject(metadata) ? text(metadata, "name") : "",
  };
  for (const [field, value, rule] of rulesFor(identity)) {
    const faults = rule(value);
    if (faults.length > 0) throw new RenderFailure(`the object's ${field} ${excerpt(value)}: ${faults.join("; ")}`);
  }
  return identity;
}

type Rule = readonly [field: string, value: string, rule: NameRule];

function rulesFor({ group, version, kind, namespace, name }: TriggerIdentity): readonly Rule[] {
  return [
    ["apiVersion", version, dnsLabel],
    ["kind", kind, kindName],
    ["metadata.name", name, pathSegment],
    ...(group === "" ? [] : [["apiVersion", group, dnsSubdomain] as const]),
    ...(namespace === "" ? [] : [["metadata.namespace", namespace, dnsLabel] as const]),
  ];
}

const kindPattern = new RegExp(kindSchema.pattern);

const kindName: NameRule = (value) =>
  value.length <= kindSchema.maxLength && kindPattern.test(value) ? [] : ["must be letters and digits"];

/** `resourcemanager.miloapis.com.v1alpha1.Project`, or `core.v1.Pod`, as in labels. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group === "" ? "core" : group}.${version}.${kind}`;
}

function text(object: JsonObject, field: string): string {
  const value = ownValue(object, field);
  return typeof value === "string" ? value : "";
}
