import type { Parsed } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { LabelRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { MatchConditions } from "./match-conditions.ts";
import type { WebhookRule } from "./webhook-rule.ts";

export type WebhookType = "mutating" | "validating";

/** Bundles are PEM; without one the system's root certificates are used. */
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

/** One webhook of a configuration. */
export interface Webhook {
  readonly type: WebhookType;
  /** Unique in its plane, unlike the name. */
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
