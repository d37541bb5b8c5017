import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  type LabelRequirements,
  type LabelSelector,
  parseLabelSelector,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { compileMatchConditions } from "./match-conditions.ts";
import type { ServiceReference, Webhook, WebhookAddress, WebhookType } from "./webhook.ts";
import type { WebhookRule } from "./webhook-rule.ts";

const timeoutSecondsDefault = 10;
const timeoutSecondsMax = 30;
/** Webhooks of one configuration that are called; more is a configuration error. */
const webhooksMax = 100;

/** The webhooks of a stored configuration, with Kubernetes' defaults applied. */
export function readConfiguration(configuration: JsonObject, type: WebhookType): readonly Webhook[] {
  const name = text(objectIn(configuration, "metadata"), "name");
  const seen = new Map<string, number>();
  return objectsIn(configuration, "webhooks")
    .slice(0, webhooksMax)
    .map((webhook) => {
      const own = text(webhook, "name");
      const count = seen.get(own) ?? 0;
      seen.set(own, count + 1);
      return readWebhook(webhook, { type, configuration: name, id: `${name}/${own}/${count}` });
    });
}

function readWebhook(webhook: JsonObject, known: Pick<Webhook, "type" | "configuration" | "id">): Webhook {
  const failurePolicy = text(webhook, "failurePolicy") === "Ignore" ? "Ignore" : "Fail";
  return {
    ...known,
    name: text(webhook, "name"),
    address: readAddress(objectIn(webhook, "clientConfig")),
    rules: objectsIn(webhook, "rules").map(readRule),
    failurePolicy,
    matchPolicy: text(webhook, "matchPolicy") === "Exact" ? "Exact" : "Equivalent",
    namespaceSelector: readSelector(webhook, "namespaceSelector"),
    objectSelector: readSelector(webhook, "objectSelector"),
    matchConditions: compileMatchConditions(
      objectsIn(webhook, "matchConditions").map((condition) => text(condition, "expression")),
      failurePolicy,
    ),
    sideEffects: text(webhook, "sideEffects"),
    timeoutSeconds: readTimeout(ownValue(webhook, "timeoutSeconds")),
    reviewVersions: texts(webhook, "admissionReviewVersions"),
    reinvocationPolicy: text(webhook, "reinvocationPolicy") === "IfNeeded" ? "IfNeeded" : "Never",
  };
}

function readRule(rule: JsonObject): WebhookRule {
  return {
    operations: texts(rule, "operations"),
    apiGroups: texts(rule, "apiGroups"),
    apiVersions: texts(rule, "apiVersions"),
    resources: texts(rule, "resources"),
    scope: text(rule, "scope") || "*",
  };
}

function readAddress(config: JsonObject): WebhookAddress {
  const bundle = text(config, "caBundle");
  const caBundle = bundle === "" ? undefined : Buffer.from(bundle, "base64").toString("utf8");
  const service = ownValue(config, "service");
  if (isJsonObject(service)) return { kind: "service", service: readService(service), caBundle };
  const url = text(config, "url");
  return url === "" ? { kind: "nowhere" } : { kind: "url", url, caBundle };
}

function readService(service: JsonObject): ServiceReference {
  const port = ownValue(service, "port");
  return {
    namespace: text(service, "namespace"),
    name: text(service, "name"),
    port: typeof port === "number" && port > 0 ? port : 443,
    path: text(service, "path"),
  };
}

function readSelector(webhook: JsonObject, key: string): Parsed<LabelRequirements> {
  return parseLabelSelector(objectIn(webhook, key) as LabelSelector, key);
}

function readTimeout(value: JsonValue | undefined): number {
  if (typeof value !== "number" || !(value >= 1)) return timeoutSecondsDefault;
  return Math.min(Math.floor(value), timeoutSecondsMax);
}

function text(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === "string" ? value : "";
}

function texts(object: JsonObject, key: string): readonly string[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = ownValue(object, key);
  return isJsonObject(value) ? value : {};
}

export function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
