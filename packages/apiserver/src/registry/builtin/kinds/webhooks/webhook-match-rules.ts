import {
  childPath,
  type FieldIssue,
  invalid,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { issueUnless } from "../../field-checks.ts";

export interface RuleWithOperations {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

export function ruleIssues(rule: RuleWithOperations, path: string): readonly FieldIssue[] {
  const { apiVersions = [], resources = [], scope = "*" } = rule;
  return [
    ...listIssues(rule.operations ?? [], childPath(path, "operations"), "operations"),
    ...(rule.operations ?? []).flatMap((operation, index) =>
      issueUnless(operations.includes(operation), () =>
        notSupported(itemPath(childPath(path, "operations"), index), operation, operations),
      ),
    ),
    ...listIssues(rule.apiGroups ?? [], childPath(path, "apiGroups"), "API groups"),
    ...listIssues(apiVersions, childPath(path, "apiVersions"), "API versions"),
    ...apiVersions.flatMap((version, index) =>
      issueUnless(version !== "", () => required(itemPath(childPath(path, "apiVersions"), index))),
    ),
    ...resourceIssues(resources, childPath(path, "resources")),
    ...issueUnless(scopes.includes(scope), () => notSupported(childPath(path, "scope"), scope, scopes)),
  ];
}

function listIssues(list: readonly string[], path: string, what: string): readonly FieldIssue[] {
  if (list.length === 0) return [required(path)];
  return issueUnless(list.length === 1 || !list.includes("*"), () =>
    invalid(path, list, `if '*' is present, must not specify other ${what}`),
  );
}

function resourceIssues(resources: readonly string[], path: string): readonly FieldIssue[] {
  if (resources.length === 0) return [required(path)];
  const plain = resources.filter((resource) => resource !== "" && resource !== "*" && !resource.includes("/"));
  return [
    ...resources.flatMap((resource, index) =>
      resource === ""
        ? [required(itemPath(path, index))]
        : coveredIssues(resource, resources.slice(0, index), itemPath(path, index)),
    ),
    ...issueUnless(resources.length === 1 || !resources.includes("*/*"), () =>
      invalid(path, resources, "if '*/*' is present, must not specify other resources"),
    ),
    ...issueUnless(!resources.includes("*") || plain.length === 0, () =>
      invalid(path, resources, "if '*' is present, must not specify other resources without subresources"),
    ),
  ];
}

/** A subresource that an earlier wildcard covers already. */
function coveredIssues(resource: string, earlier: readonly string[], path: string): readonly FieldIssue[] {
  const slash = resource.indexOf("/");
  if (slash < 0) return [];
  const wildcards = [`${resource.slice(0, slash)}/*`, `*/${resource.slice(slash + 1)}`];
  return wildcards
    .filter((wildcard) => earlier.includes(wildcard))
    .map((wildcard) => invalid(path, resource, `if '${wildcard}' is present, must not specify ${resource}`));
}
