import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { toCommandError } from "../command-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Cluster, planeName } from "./cluster.ts";
import { mapConcurrently } from "./map-concurrently.ts";

/** The results of reading several control planes. */
export interface PlaneResults<Result> {
  readonly results: readonly Result[];
  /** Of the first control plane that could not be read; success when there is none. */
  readonly exitCode: ExitCode;
}

/**
 * Reads control planes. One that cannot be read is reported and skipped, unless it is the target of the command. One that
 * no longer exists is skipped: its project was deleted after the list of projects was read.
 */
export async function forEachPlane<Result>(
  cluster: Cluster,
  planes: readonly KubeClient[],
  read: (plane: KubeClient) => Promise<Result>,
): Promise<PlaneResults<Result>> {
  const all = await mapConcurrently(planes, async (plane) => {
    try {
      return { results: [await read(plane)], exitCode: exitCodes.success };
    } catch (error) {
      if (plane === cluster.target) throw error;
      const { message, exitCode } = toCommandError(error, cluster.url);
      if (exitCode === exitCodes.notFound) return { results: [], exitCode: exitCodes.success };
      cluster.printErr(`Skipped ${planeName(plane)}: ${message}`);
      return { results: [], exitCode };
    }
  });
  const failed = all.find(({ exitCode }) => exitCode !== exitCodes.success);
  return { results: all.flatMap(({ results }) => results), exitCode: failed?.exitCode ?? exitCodes.success };
}

/** Reads the target of the command, and also the root, whose objects apply everywhere, if the user has access to it. */
export async function readTargetAndRoot<Result>(
  cluster: Cluster,
  read: (plane: KubeClient) => Promise<Result>,
): Promise<readonly Result[]> {
  const { target, root } = cluster;
  if (target === root) return [await read(target)];
  const fromRoot = read(root).then(
    (result) => [result],
    (error: unknown) => {
      if (error instanceof StatusError && error.status.code === 403) return [];
      throw error;
    },
  );
  const [own, others] = await Promise.all([read(target), fromRoot]);
  return [own, ...others];
}
