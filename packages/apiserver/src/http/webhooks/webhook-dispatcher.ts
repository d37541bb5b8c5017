import { invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { invalid } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { AdmissionPlugin, AdmissionRequest, Verdict } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import { conditionProblem } from "./match-conditions.ts";
import { type MutatingDeps, mutateByWebhooks } from "./mutating-webhooks.ts";
import { validateByWebhooks } from "./validating-webhooks.ts";
import type { WebhookCatalog } from "./webhook-catalog.ts";
import { objectsIn } from "./webhook-configuration.ts";

/** Calls webhooks for changes. Both methods reject with a StatusError when the change is rejected. */
export interface WebhookDispatcher extends AdmissionPlugin {
  mutate(request: AdmissionRequest, signal: AbortSignal): Promise<ApiObject>;
  validate(request: AdmissionRequest, signal: AbortSignal): Promise<Verdict>;
}

export interface DispatcherDeps extends MutatingDeps {
  readonly catalog: WebhookCatalog;
}

const configurationKinds: ReadonlySet<string> = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
]);

const allowed: Verdict = { allowed: true };

export function webhookDispatcher(deps: DispatcherDeps): WebhookDispatcher {
  const { catalog } = deps;
  // Hot: every write comes here, and most servers have no webhooks, so this must not defer.
  const mutate = (request: AdmissionRequest, signal: AbortSignal): Promise<ApiObject | undefined> | undefined => {
    const webhooks = catalog.webhooksOf(request.plane, "mutating");
    return webhooks.length === 0 ? undefined : mutateByWebhooks(request, webhooks, deps, signal);
  };
  return {
    name: "webhooks",
    async mutate(request, signal) {
      const mutated = isConfiguration(request) ? undefined : mutate(request, signal);
      return (mutated === undefined ? request.object : await mutated) as ApiObject;
    },
    async validate(request, signal) {
      if (isConfiguration(request)) {
        rejectBadConditions(request);
        return allowed;
      }
      // A delete is never mutated, but mutating webhooks are called and may reject it.
      if (request.operation === "DELETE") await mutate(request, signal);
      const webhooks = catalog.webhooksOf(request.plane, "validating");
      if (webhooks.length > 0) await validateByWebhooks(request, webhooks, deps, signal);
      return allowed;
    },
  };
}

/** Otherwise a broken webhook could reject its own repair. */
function isConfiguration({ kind }: AdmissionRequest): boolean {
  return kind.group === "admissionregistration.k8s.io" && configurationKinds.has(kind.kind);
}

/** Unchanged conditions are not checked again: those stored by an earlier version may not compile here. */
function rejectBadConditions({ kind, name, object = {} as ApiObject, oldObject }: AdmissionRequest): void {
  const stored = new Set(oldObject === undefined ? [] : conditionsOf(oldObject).map(({ expression }) => expression));
  const issues = conditionsOf(object).flatMap(({ path, expression }) => {
    const problem = stored.has(expression) || expression === "" ? undefined : conditionProblem(expression);
    return problem === undefined ? [] : [invalid(path, expression, problem)];
  });
  if (issues.length > 0) throw new StatusError(invalidObject(kind, name, issues));
}

function conditionsOf(configuration: ApiObject): readonly { readonly path: string; readonly expression: string }[] {
  return objectsIn(configuration, "webhooks").flatMap((webhook, at) =>
    objectsIn(webhook, "matchConditions").map((condition, index) => ({
      path: `webhooks[${at}].matchConditions[${index}].expression`,
      expression: String(ownValue(condition, "expression") ?? ""),
    })),
  );
}
