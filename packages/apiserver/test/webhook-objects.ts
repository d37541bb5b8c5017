import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { applyWebhookPatch } from "../src/http/webhooks/apply-webhook-patch.ts";
import type { WebhookCall } from "../src/http/webhooks/webhook-caller.ts";
import { configurationResources, WebhookCatalog } from "../src/http/webhooks/webhook-catalog.ts";
import { webhookDispatcher } from "../src/http/webhooks/webhook-dispatcher.ts";
import type { AdmissionRequest } from "../src/registry/admission/admission-plugin.ts";
import type { ApiObject } from "../src/registry/kinds/api-object.ts";
import type { ServedKind } from "../src/registry/kinds/served-kind.ts";
import type { StoredObject } from "../src/storage/stored-object.ts";

// Fixtures of the webhook tests: kinds, requests, and a server whose webhooks are functions.

export function kindOf(group: string, version: string, kind: string, more: Partial<ServedKind> = {}): ServedKind {
  const plural = `${kind.toLowerCase()}s`;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: "Namespaced",
    storageVersion: version,
    schema: compileSchema({
      type: "object",
      properties: {
        data: { type: "object", additionalProperties: { type: "string" } },
        mode: { type: "string", default: "plain" },
      },
    }),
    isCustom: false,
    hasStatus: true,
    hasGeneration: false,
    verbs: [],
    nameRule: () => [],
    columns: [],
    selectableFields: [],
    rules: {},
    ...more,
  };
}

export const configMap = kindOf("", "v1", "ConfigMap");
export const alpha = kindOf("x.io", "v1alpha1", "Widget");
export const beta = kindOf("x.io", "v1beta1", "Widget");
export const namespaceKind = kindOf("", "v1", "Namespace", { scope: "Cluster" });

export function objectOf(kind: ServedKind, more: JsonObject = {}): ApiObject {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, metadata: { name: "one", namespace: "shop" }, ...more } as ApiObject;
}

export function requestOf(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const kind = more.kind ?? configMap;
  return {
    operation: "CREATE",
    plane: "root",
    kind,
    namespace: "shop",
    name: "one",
    subresource: "",
    userInfo: { username: "alice", uid: "2", groups: ["devs"], extra: {} },
    dryRun: false,
    object: objectOf(kind),
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    warn: () => undefined,
    ...more,
  };
}

export function webhookJson(name: string, more: JsonObject = {}): JsonObject {
  return {
    name,
    clientConfig: { url: `https://hooks/${name}` },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
    ...more,
  };
}

/** The response of a webhook without the UID; or how it fails. */
export type Answer = (call: WebhookCall & { readonly request: JsonObject }) => JsonObject | Promise<JsonObject>;

export class WebhookBench {
  readonly calls: string[] = [];
  readonly warnings: string[] = [];
  readonly annotations: Record<string, string> = {};
  readonly requests: JsonObject[] = [];
  readonly #stored: StoredObject[] = [];
  readonly #answers: Readonly<Record<string, Answer>>;
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>> = { shop: {} };

  constructor(answers: Readonly<Record<string, Answer>>) {
    this.#answers = answers;
  }

  configure(type: "mutating" | "validating", name: string, webhooks: readonly JsonObject[]): this {
    const resource = configurationResources[type];
    const object = { apiVersion: "v1", kind: type, metadata: { name }, webhooks } as unknown as ApiObject;
    const revision = this.#stored.length + 1;
    this.#stored.push({ key: { plane: "root", resource, namespace: "", name }, revision, text: "", object });
    this.#stored.sort((left, right) => (left.key.name < right.key.name ? -1 : 1));
    return this;
  }

  request(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
    return requestOf({ warn: (text) => this.warnings.push(text), ...more });
  }

  get dispatcher() {
    const stored = this.#stored;
    const list = ({ plane, resource }: { plane?: string; resource: string }) =>
      stored.filter(({ key }) => key.plane === plane && key.resource === resource);
    return webhookDispatcher({
      catalog: new WebhookCatalog({ list }),
      caller: { call: (call) => this.#call(call) },
      newUid: randomUUID,
      annotate: (_, key, value) => {
        this.annotations[key] = value;
      },
      namespaceLabels: (_, namespace) => this.namespaces[namespace],
      versionsOf: (_, kind) => (kind.group === "x.io" ? [alpha, beta] : [kind]),
      applyPatch: applyWebhookPatch,
    });
  }

  async #call(call: WebhookCall): Promise<JsonValue> {
    const name = call.address.kind === "url" ? call.address.url.replace("https://hooks/", "") : "";
    const request = call.review["request"] as JsonObject;
    this.calls.push(name);
    this.requests.push(request);
    const response = await (this.#answers[name] ?? (() => ({ allowed: true })))({ ...call, request });
    return {
      kind: "AdmissionReview",
      apiVersion: call.review["apiVersion"] as string,
      response: { uid: request["uid"] as string, ...response },
    };
  }
}

export function patchOf(...steps: readonly JsonObject[]): JsonObject {
  return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(steps)).toString("base64") };
}
