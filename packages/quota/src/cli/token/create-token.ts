import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { AccessFlags } from "../cluster/cluster-flags.ts";
import { CommandError } from "../command-error.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print } from "../output.ts";
import { type Expiry, expiryMs } from "./expiry.ts";
import type { TokenCodec, TokenSpec } from "./token-codec.ts";

export interface CreateFlags extends AccessFlags, OutputFlags {
  readonly user: string;
  readonly group?: readonly string[];
  readonly expires?: Expiry;
}

export const secretsType: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };
const usersType: ResourceType = { group: "iam.miloapis.com", version: "v1alpha1", plural: "users", scope: "Cluster" };

export async function createToken(
  codec: TokenCodec,
  cluster: Cluster,
  flags: CreateFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { user, group, expires } = flags;
  const expiresAtMs = expires === undefined ? undefined : expiryMs(expires, cluster.clock.now());
  if (expiresAtMs !== undefined && expiresAtMs <= cluster.clock.now()) {
    throw new CommandError(`--expires ${formatTime(expiresAtMs)} is in the past`, exitCodes.usageError);
  }
  const spec: TokenSpec = {
    user,
    ...(group === undefined ? {} : { groups: group }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
  const issues = codec.validate(spec);
  if (issues.length > 0) throw new CommandError(issues.map(issueText).join("; "), exitCodes.usageError);
  const owner = await findUser(user, cluster, signal);
  const { token, secret } = codec.create(owner === undefined ? spec : { ...spec, owner });
  await cluster.root.resource(secretsType, anyObject).create(secret, {}, signal);
  const name = secret.metadata.name ?? "";
  const expiresAt = expiresAtMs === undefined ? undefined : formatTime(expiresAtMs);
  print(
    flags,
    () => token,
    () => ({ token, name, user, groups: group ?? [], expiresAt, server: cluster.url }),
  );
  const validity = expiresAt === undefined ? "valid until it is revoked" : `valid until ${expiresAt}`;
  cluster.printErr(`Created ${name} for user ${user}, ${validity}. The token is shown only once.`);
  if (owner === undefined) {
    cluster.printErr(`There is no User object ${user}: the token stays valid until it expires or is revoked.`);
  }
  return exitCodes.success;
}

/** A token needs no User object, because roles can be bound to a user name alone. */
async function findUser(user: string, cluster: Cluster, signal: AbortSignal): Promise<TokenSpec["owner"]> {
  try {
    const found = await cluster.root.resource(usersType, anyObject).find({ name: user }, signal);
    return found === undefined ? undefined : { name: user, uid: found.metadata.uid ?? "" };
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) throw noUserTokens();
    throw error;
  }
}

function noUserTokens(): CommandError {
  const advice = "On other clusters, use `kubectl create token` or your identity provider.";
  return new CommandError("only servers started with `milo-quota up` have user tokens", exitCodes.notFound, advice);
}
