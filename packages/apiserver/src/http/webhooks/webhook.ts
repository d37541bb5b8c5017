import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { LabelRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { MatchConditions } from "./match-conditions.ts";
import type { WebhookRule } from "./webhook-rule.ts";

export type WebhookType = "mutating" | "validating";

/** Where a webhook is. Bundles are PEM; without one the usual authorities are believed. */
export type WebhookAddress =
  | { readonly kind: "url"; readonly url: string; readonly caBundle: string | undefined }
  | { readonly kind: "service"; readonly service: ServiceReference; readonly caBundle: string | undefined }
  | { readonly kind: "nowhere" };

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** One webhook of a configuration, read once. */
export interface Webhook {
  readonly type: WebhookType;
  /** Unlike its name, no other webhook of the plane has it. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly address: WebhookAddress;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: "Fail" | "Ignore";
  readonly matchPolicy: "Exact" | "Equivalent";
  readonly namespaceSelector: Parsed<LabelRequirements>;
  readonly objectSelector: Parsed<LabelRequirements>;
  readonly matchConditions: MatchConditions;
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvocationPolicy: "Never" | "IfNeeded";
}
