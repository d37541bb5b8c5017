import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { failureOf } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Cluster, planeText } from "./cluster.ts";
import { forEachOf } from "./object-lists.ts";

/** What came of looking into several control planes. */
export interface Seen<Result> {
  readonly results: readonly Result[];
  /** How the command ends because of one that could not be looked into; fine when there is none. */
  readonly exitCode: ExitCode;
}

/** Looks into control planes. Those of projects hide no other when they cannot be read, and may be gone by then. */
export async function inEachPlane<Result>(
  cluster: Cluster,
  planes: readonly KubeClient[],
  look: (plane: KubeClient) => Promise<Result>,
): Promise<Seen<Result>> {
  const all = await forEachOf(planes, async (plane) => {
    try {
      return { results: [await look(plane)], exitCode: exitCodes.fine };
    } catch (error) {
      if (plane === cluster.here) throw error;
      const { message, exitCode } = failureOf(error, cluster.url);
      if (exitCode === exitCodes.missing) return { results: [], exitCode: exitCodes.fine };
      cluster.note(`Left out ${planeText(plane)}: ${message}`);
      return { results: [], exitCode };
    }
  });
  const failed = all.find(({ exitCode }) => exitCode !== exitCodes.fine);
  return { results: all.flatMap(({ results }) => results), exitCode: failed?.exitCode ?? exitCodes.fine };
}

/** Looks where the command is about, and at home, where what holds for all is; as far as one may look there. */
export async function hereAndAtHome<Result>(
  cluster: Cluster,
  look: (plane: KubeClient) => Promise<Result>,
): Promise<readonly Result[]> {
  const { here, home } = cluster;
  if (here === home) return [await look(here)];
  const atHome = look(home).then(
    (result) => [result],
    (error: unknown) => {
      if (error instanceof StatusError && error.status.code === 403) return [];
      throw error;
    },
  );
  const [own, others] = await Promise.all([look(here), atHome]);
  return [own, ...others];
}
