import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ClusterFlags } from "../cluster/cluster-flags.ts";
import { CommandFailure } from "../command-failure.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type OutputFlags, print } from "../output.ts";
import { type End, endMs } from "./duration.ts";
import type { TokenOrder, TokenPort } from "./token-port.ts";

export interface CreateFlags extends ClusterFlags, OutputFlags {
  readonly user: string;
  readonly group?: readonly string[];
  readonly expires?: End;
}

export const secretsType: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };
const usersType: ResourceType = { group: "iam.miloapis.com", version: "v1alpha1", plural: "users", scope: "Cluster" };

export async function createToken(
  tokens: TokenPort,
  cluster: Cluster,
  flags: CreateFlags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { user, group, expires } = flags;
  const expiresAtMs = expires === undefined ? undefined : endMs(expires, cluster.clock.now());
  if (expiresAtMs !== undefined && expiresAtMs <= cluster.clock.now()) {
    throw new CommandFailure(`--expires ${timeText(expiresAtMs)} is over already`, exitCodes.unusable);
  }
  const owner = await ownerOf(user, cluster, signal);
  const { token, secret } = made(tokens, {
    user,
    ...(group === undefined ? {} : { groups: group }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    ...(owner === undefined ? {} : { owner }),
  });
  await cluster.home.resource(secretsType, anyObject).create(secret, {}, signal);
  const name = secret.metadata.name ?? "";
  const expiresAt = expiresAtMs === undefined ? undefined : timeText(expiresAtMs);
  print(
    flags,
    () => token,
    () => ({ token, name, user, groups: group ?? [], expiresAt, server: cluster.url }),
  );
  const end = expiresAt === undefined ? "until it is revoked" : `until ${expiresAt}`;
  cluster.note(`Made ${name} for ${user}, ${end}. The token is shown this once.`);
  return exitCodes.fine;
}

/** The token goes with its User. That there is none is no mistake: rights can be given to names alone. */
async function ownerOf(user: string, cluster: Cluster, signal: AbortSignal): Promise<TokenOrder["owner"]> {
  try {
    const found = await cluster.home.resource(usersType, anyObject).find({ name: user }, signal);
    if (found !== undefined) return { name: user, uid: found.metadata.uid ?? "" };
    cluster.note(`There is no User ${user}. The token works all the same, until it expires or is revoked.`);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) throw noTenants();
    throw error;
  }
}

function noTenants(): CommandFailure {
  const advice = "On a cluster of yours, make tokens as it does: `kubectl create token`, or your identity provider.";
  return new CommandFailure("tokens are made for servers that `milo-quota up` runs", exitCodes.missing, advice);
}

function made(tokens: TokenPort, order: TokenOrder): ReturnType<TokenPort["make"]> {
  try {
    return tokens.make(order);
  } catch (error) {
    if (error instanceof TypeError) throw new CommandFailure(error.message, exitCodes.unusable);
    throw error;
  }
}
