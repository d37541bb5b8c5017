import { delimiter, join } from "node:path";
import type { ClusterAccess } from "../transport/cluster-access.ts";
import { type Choice, chosenContext } from "./chosen-context.ts";
import { contextAccess } from "./context-access.ts";
import type { ExecPorts } from "./exec-plugin.ts";
import { inClusterContext, serviceAccountFolder } from "./in-cluster.ts";
import { mergeKubeconfigs } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { readKubeconfig } from "./read-kubeconfig.ts";
import { runPlugin } from "./run-plugin.ts";

/** What there is around the process; everything about it can be replaced. */
export interface Surroundings extends Omit<ExecPorts, "run"> {
  readonly home: string;
  readonly run?: ExecPorts["run"];
  readonly serviceAccountFolder?: string;
}

export interface AccessChoice extends Choice {
  /** One file, instead of those that KUBECONFIG names. */
  readonly kubeconfig?: string;
}

const filesMax = 100;

/**
 * How to reach a cluster, by the rules of kubectl: the one file that is named; else all files that KUBECONFIG names,
 * merged; else the one in the home folder; else what a pod is given by its cluster.
 */
export function loadAccess(choice: AccessChoice, surroundings: Surroundings): ClusterAccess {
  const { env, home } = surroundings;
  const ports = { run: runPlugin, ...surroundings };
  const files = choice.kubeconfig === undefined ? filesIn(env, home) : [choice.kubeconfig];
  const found = files.map(readKubeconfig).filter((config) => config !== undefined);
  if (choice.kubeconfig !== undefined && found.length === 0) {
    throw new KubeconfigError(`the kubeconfig file "${choice.kubeconfig}" does not exist`);
  }
  const merged = mergeKubeconfigs(found);
  const isEmpty = merged.contexts.size === 0 && merged.clusters.size === 0 && merged.currentContext === "";
  if (!isEmpty || choice.kubeconfig !== undefined) return contextAccess(chosenContext(merged, choice, files), ports);
  const inside = inClusterContext(env, surroundings.serviceAccountFolder ?? serviceAccountFolder);
  if (inside === undefined) throw nothingFound(files);
  return contextAccess({ ...inside, namespace: choice.namespace ?? inside.namespace }, ports);
}

function filesIn(env: Surroundings["env"], home: string): readonly string[] {
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
