import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { aggregateText, missingRoleText, rulesOfUser } from "../rbac/rbac-authorizer.ts";
import type { ReviewContext, ReviewDeps } from "./review-context.ts";
import { badRequest, readObject, readReview, readText, within } from "./review-fields.ts";

const group = "authorization.k8s.io";
const kind = "SelfSubjectRulesReview";

/** What may I do in this namespace? `kubectl auth can-i --list` asks this. */
export async function selfSubjectRulesReview(
  body: unknown,
  { user, plane }: ReviewContext,
  { policies, hasUnlistedRules = false }: ReviewDeps,
): Promise<JsonObject> {
  const root = { review: kind, path: "" };
  const spec = readObject(readReview(body, kind, group), "spec", root) ?? {};
  const namespace = readText(spec, "namespace", within(root, "spec"));
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, missing } = rulesOfUser(policies.of(plane), user, namespace);
  const unlisted = hasUnlistedRules ? ["rights that are not given by roles are not listed"] : [];
  const problems = [...missing.map((role) => missingRoleText(role)), ...unlisted];
  const resourceRules = rules
    .filter(({ resources }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => {
      const names = resourceNames.length === 0 ? {} : { resourceNames };
      return { verbs, apiGroups, resources, ...names };
    });
  const nonResourceRules = rules
    .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const evaluationError = problems.length === 0 ? {} : { evaluationError: aggregateText(problems) };
  const status = { resourceRules, nonResourceRules, incomplete: hasUnlistedRules, ...evaluationError };
  return { kind, apiVersion: `${group}/v1`, metadata: {}, spec: {}, status };
}
