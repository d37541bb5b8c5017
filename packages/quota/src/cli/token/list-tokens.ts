import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { AccessFlags } from "../cluster/cluster-flags.ts";
import { listAll } from "../cluster/list-all.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print } from "../output.ts";
import { textTable } from "../text-table.ts";
import { secretsType } from "./create-token.ts";
import type { TokenCodec } from "./token-codec.ts";

export interface ListFlags extends AccessFlags, OutputFlags {
  readonly user?: string;
}

/** What the server stores about a token. */
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
  codec: TokenCodec,
  cluster: Cluster,
  flags: ListFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const found = (await readTokens(codec, cluster, signal)).filter(
    ({ user }) => flags.user === undefined || user === flags.user,
  );
  print(
    flags,
    () => (found.length === 0 ? "No tokens found." : table(found)),
    () => ({ items: found.map(({ uid: _uid, ...token }) => token) }),
  );
  return exitCodes.success;
}

/** Secrets of the right type that are not valid tokens are reported and skipped. */
export async function readTokens(
  codec: TokenCodec,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly ListedToken[]> {
  const selection = { namespace: systemNamespace, fieldSelector: `type=${codec.secretType}` };
  const secrets = await listAll(cluster.root.resource(secretsType, anyObject), selection, signal);
  return secrets.flatMap((secret) => {
    const { name = "", uid = "", creationTimestamp } = secret.metadata;
    const parsed = codec.parse(secret);
    if (!parsed.ok) {
      cluster.printErr(`Skipped Secret ${systemNamespace}/${name}, which is not a valid token.`);
      return [];
    }
    const { user, groups, expiresAtMs } = parsed.value;
    const expiresAt = expiresAtMs === undefined ? undefined : formatTime(expiresAtMs);
    const expired = expiresAtMs !== undefined && expiresAtMs <= cluster.clock.now();
    return [{ name, uid, user, groups, expiresAt, expired, createdAt: creationTimestamp ?? "" }];
  });
}

function table(found: readonly ListedToken[]): string {
  const columns = ["NAME", "USER", "GROUPS", "EXPIRES", "CREATED"].map((title) => ({ title }));
  const rows = found.map(({ name, user, groups, expiresAt = "never", expired, createdAt }) => [
    name,
    user,
    groups.join(","),
    expired ? `${expiresAt} (expired)` : expiresAt,
    createdAt,
  ]);
  return textTable(columns, rows);
}
