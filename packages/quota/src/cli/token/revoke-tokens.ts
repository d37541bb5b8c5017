import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { AccessFlags } from "../cluster/cluster-flags.ts";
import { CommandError } from "../command-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { secretsType } from "./create-token.ts";
import { readTokens } from "./list-tokens.ts";
import type { TokenCodec } from "./token-codec.ts";

export interface RevokeFlags extends AccessFlags {
  readonly names: readonly string[];
  readonly user?: string;
}

/** Deletes only Secrets that are tokens. */
export async function revokeTokens(
  codec: TokenCodec,
  cluster: Cluster,
  { names, user }: RevokeFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  if ((names.length === 0) === (user === undefined)) {
    throw new CommandError("specify either token names or --user", exitCodes.usageError);
  }
  const tokens = await readTokens(codec, cluster, signal);
  const missing = names.filter((name) => !tokens.some((token) => token.name === name));
  if (missing.length > 0) {
    const advice = "`milo-quota token list` shows the names; the name is not the token itself.";
    throw new CommandError(`token ${missing.join(", ")} not found`, exitCodes.notFound, advice);
  }
  const selected = tokens.filter((token) => (user === undefined ? names.includes(token.name) : token.user === user));
  if (selected.length === 0) throw new CommandError(`user ${user} has no tokens`, exitCodes.notFound);
  const secrets = cluster.root.resource(secretsType, anyObject);
  for (const { name, uid, user: owner } of selected) {
    await secrets.delete({ namespace: systemNamespace, name }, { uid }, signal);
    console.log(`${name} of user ${owner} revoked`);
  }
  return exitCodes.success;
}
