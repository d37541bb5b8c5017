import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { systemNamespace } from "../../core/resources/well-known.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterFlags } from "../cluster/cluster-flags.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { secretsType } from "./create-token.ts";
import { tokensIn } from "./list-tokens.ts";
import type { TokenPort } from "./token-port.ts";

export interface RevokeFlags extends ClusterFlags {
  readonly names: readonly string[];
  readonly user?: string;
}

/** Deletes the Secrets of tokens, and never any other. */
export async function revokeTokens(
  tokens: TokenPort,
  cluster: Cluster,
  { names, user }: RevokeFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  if ((names.length === 0) === (user === undefined)) {
    throw new CommandFailure("name tokens, or a --user whose tokens are all to end", exitCodes.unusable);
  }
  const known = await tokensIn(tokens, cluster, signal);
  const missing = names.filter((name) => !known.some((token) => token.name === name));
  if (missing.length > 0) {
    const advice = "`token list` shows their names. The token itself is not its name.";
    throw new CommandFailure(`there is no token ${missing.join(", ")}`, exitCodes.missing, advice);
  }
  const meant = known.filter((token) => (user === undefined ? names.includes(token.name) : token.user === user));
  if (meant.length === 0) throw new CommandFailure(`${user} has no tokens`, exitCodes.missing);
  const secrets = cluster.home.resource(secretsType, anyObject);
  for (const { name, uid, user: whose } of meant) {
    await secrets.delete({ namespace: systemNamespace, name }, { uid }, signal);
    console.log(`${name} of ${whose} is revoked`);
  }
  return exitCodes.fine;
}
