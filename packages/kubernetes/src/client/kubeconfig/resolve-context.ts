import { quote } from "../../protocol/go-quote.ts";
import { clusterProblems, contextProblems, userProblems } from "./check-entries.ts";
import type { ClusterEntry, Kubeconfig, UserEntry } from "./kubeconfig-entries.ts";
import { invalidConfiguration, KubeconfigError } from "./kubeconfig-error.ts";

/** Overrides of what the kubeconfig says. */
export interface ContextOverrides {
  readonly context?: string;
  readonly namespace?: string;
}

export interface ResolvedContext {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  readonly namespace: string;
}

/** Resolves and checks one context; problems elsewhere in the files are ignored. */
export function resolveContext(
  config: Kubeconfig,
  overrides: ContextOverrides,
  files: readonly string[],
): ResolvedContext {
  const name = overrides.context ?? config.currentContext;
  const there = [...config.contexts.keys()];
  const known = there.length === 0 ? "there are no contexts" : `available contexts: ${there.join(", ")}`;
  if (name === "") {
    throw new KubeconfigError(
      `no current context is set in ${files.join(", ")}; choose one with "kubectl config use-context" (${known})`,
    );
  }
  const context = config.contexts.get(name);
  if (context === undefined)
    throw new KubeconfigError(`context ${quote(name)} does not exist in ${files.join(", ")}; ${known}`);
  const cluster = config.clusters.get(context.cluster);
  const user = config.users.get(context.user);
  const problems = [
    ...contextProblems(name, context),
    ...missing("user", context.user, user, name),
    ...missing("cluster", context.cluster, cluster, name),
    ...(user === undefined ? [] : userProblems(context.user, user)),
    ...(cluster === undefined ? [] : clusterProblems(context.cluster, cluster)),
  ];
  if (problems.length > 0 || cluster === undefined || user === undefined) throw invalidConfiguration(problems);
  return { cluster, user, namespace: overrides.namespace ?? (context.namespace || "default") };
}

function missing(what: string, named: string, entry: object | undefined, context: string): readonly string[] {
  return named === "" || entry !== undefined
    ? []
    : [`${what} ${quote(named)} was not found for context ${quote(context)}`];
}
