import type { Column } from "../../../kinds/served-kind.ts";
import { builtinKind } from "../../builtin-kind.ts";
import { ageColumn, nameColumn, typed } from "../../columns.ts";
import { itemsOf, nestedObject, setDefault } from "../../typed/draft.ts";
import type { DraftObject } from "../../typed/go-round-trip.ts";
import { type WebhookConfiguration, webhookIssues } from "./webhook-rules.ts";

const group = "admissionregistration.k8s.io";
const timeoutSeconds = 10;
const httpsPort = 443;

const columns: readonly Column[] = [
  nameColumn,
  {
    name: "Webhooks",
    type: "integer",
    jsonPath: ".webhooks",
    read: typed<WebhookConfiguration>(({ webhooks = [] }) => webhooks.length),
  },
  ageColumn,
];

export const validatingWebhookConfiguration = builtinKind<WebhookConfiguration>({
  struct: "admissionregistration.v1.ValidatingWebhookConfiguration",
  group,
  plural: "validatingwebhookconfigurations",
  categories: ["api-extensions"],
  scope: "Cluster",
  hasGeneration: true,
  updatesUnconditionally: false,
  columns,
  defaults: fillWebhooks,
  validate: webhookIssues,
});

export const mutatingWebhookConfiguration = builtinKind<WebhookConfiguration>({
  struct: "admissionregistration.v1.MutatingWebhookConfiguration",
  group,
  plural: "mutatingwebhookconfigurations",
  categories: ["api-extensions"],
  scope: "Cluster",
  hasGeneration: true,
  updatesUnconditionally: false,
  columns,
  defaults: (draft) => {
    fillWebhooks(draft);
    for (const webhook of itemsOf(draft, "webhooks")) setDefault(webhook, "reinvocationPolicy", "Never");
  },
  validate: webhookIssues,
});

function fillWebhooks(draft: DraftObject): void {
  for (const webhook of itemsOf(draft, "webhooks")) {
    setDefault(webhook, "failurePolicy", "Fail");
    setDefault(webhook, "matchPolicy", "Equivalent");
    webhook["namespaceSelector"] ??= {};
    webhook["objectSelector"] ??= {};
    webhook["timeoutSeconds"] ??= timeoutSeconds;
    for (const rule of itemsOf(webhook, "rules")) setDefault(rule, "scope", "*");
    const service = nestedObject(nestedObject(webhook, "clientConfig") ?? {}, "service");
    if (service !== undefined) service["port"] ??= httpsPort;
  }
}
