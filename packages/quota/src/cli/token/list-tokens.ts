import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterFlags } from "../cluster/cluster-flags.ts";
import { listAll } from "../cluster/object-lists.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print } from "../output.ts";
import { textTable } from "../text-table.ts";
import { secretsType } from "./create-token.ts";
import type { TokenPort } from "./token-port.ts";

export interface ListFlags extends ClusterFlags, OutputFlags {
  readonly user?: string;
}

/** A token as it is remembered. */
export interface ListedToken {
  readonly name: string;
  readonly uid: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly expiresAt: string | undefined;
  readonly expired: boolean;
  readonly createdAt: string;
}

export async function listTokens(
  tokens: TokenPort,
  cluster: Cluster,
  flags: ListFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const found = (await tokensIn(tokens, cluster, signal)).filter(
    ({ user }) => flags.user === undefined || user === flags.user,
  );
  print(
    flags,
    () => (found.length === 0 ? "There are no tokens." : table(found)),
    () => ({ items: found.map(({ uid: _uid, ...token }) => token) }),
  );
  return exitCodes.fine;
}

/** Secrets that only look like tokens are told of, and left out. */
export async function tokensIn(
  tokens: TokenPort,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly ListedToken[]> {
  const selection = { namespace: systemNamespace, fieldSelector: `type=${tokens.secretType}` };
  const secrets = await listAll(cluster.home.resource(secretsType, anyObject), selection, signal);
  return secrets.flatMap((secret) => {
    const { name = "", uid = "", creationTimestamp } = secret.metadata;
    const parsed = tokens.parse(secret);
    if (!parsed.ok) {
      cluster.note(`Secret ${systemNamespace}/${name} holds no token that could be used.`);
      return [];
    }
    const { user, groups, expiresAtMs } = parsed.value;
    const expiresAt = expiresAtMs === undefined ? undefined : timeText(expiresAtMs);
    const expired = expiresAtMs !== undefined && expiresAtMs <= cluster.clock.now();
    return [{ name, uid, user, groups, expiresAt, expired, createdAt: creationTimestamp ?? "" }];
  });
}

function table(found: readonly ListedToken[]): string {
  const columns = ["NAME", "USER", "GROUPS", "EXPIRES", "MADE"].map((title) => ({ title }));
  const rows = found.map(({ name, user, groups, expiresAt = "never", expired, createdAt }) => [
    name,
    user,
    groups.join(","),
    expired ? `${expiresAt} (over)` : expiresAt,
    createdAt,
  ]);
  return textTable(columns, rows);
}
