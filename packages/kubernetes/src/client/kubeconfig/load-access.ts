import { delimiter, join } from "node:path";
import type { ClusterAccess } from "../transport/cluster-access.ts";
import { contextAccess } from "./context-access.ts";
import type { ExecDeps } from "./exec-plugin.ts";
import { inClusterContext, serviceAccountDir } from "./in-cluster.ts";
import { mergeKubeconfigs } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { readKubeconfig } from "./read-kubeconfig.ts";
import { type ContextOverrides, resolveContext } from "./resolve-context.ts";
import { runPlugin } from "./run-plugin.ts";

/** The environment of the process, replaceable in tests. */
export interface LoadAccessDeps extends Omit<ExecDeps, "run"> {
  readonly home: string;
  readonly run?: ExecDeps["run"];
  readonly serviceAccountDir?: string;
}

export interface ConfigOverrides extends ContextOverrides {
  /** One file, instead of those in KUBECONFIG. */
  readonly kubeconfig?: string;
}

const filesMax = 100;

/**
 * Loads the access to a cluster by the rules of kubectl: the explicit file; else all files in KUBECONFIG, merged; else
 * the one in the home directory; else the in-cluster configuration.
 */
export function loadAccess(overrides: ConfigOverrides, deps: LoadAccessDeps): ClusterAccess {
  const { env, home } = deps;
  const execDeps = { run: runPlugin, ...deps };
  const files = overrides.kubeconfig === undefined ? filesIn(env, home) : [overrides.kubeconfig];
  const found = files.map(readKubeconfig).filter((config) => config !== undefined);
  if (overrides.kubeconfig !== undefined && found.length === 0) {
    throw new KubeconfigError(`the kubeconfig file "${overrides.kubeconfig}" does not exist`);
  }
  const merged = mergeKubeconfigs(found);
  const isEmpty = merged.contexts.size === 0 && merged.clusters.size === 0 && merged.currentContext === "";
  if (!isEmpty || overrides.kubeconfig !== undefined)
    return contextAccess(resolveContext(merged, overrides, files), execDeps);
  const inside = inClusterContext(env, deps.serviceAccountDir ?? serviceAccountDir);
  if (inside === undefined) throw nothingFound(files);
  return contextAccess({ ...inside, namespace: overrides.namespace ?? inside.namespace }, execDeps);
}

function filesIn(env: LoadAccessDeps["env"], home: string): readonly string[] {
  const named = env["KUBECONFIG"] ?? "";
  if (named === "") return [join(home, ".kube", "config")];
  const files = [...new Set(named.split(delimiter))].filter((file) => file !== "");
  if (files.length > filesMax) throw new KubeconfigError(`KUBECONFIG names more than ${filesMax} files`);
  return files;
}

function nothingFound(files: readonly string[]): KubeconfigError {
  return new KubeconfigError(
    `no configuration has been provided: ${files.join(", ")} ${files.length === 1 ? "does not exist or is" : "do not exist or are"} ` +
      "empty, and this process does not run in a cluster; name a file with --kubeconfig, or set KUBECONFIG",
  );
}
