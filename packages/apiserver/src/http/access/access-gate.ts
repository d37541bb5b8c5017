import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type ImpersonationRequest, impersonatedUser, impersonates } from "./authentication/impersonation.ts";
import type { Authenticator } from "./authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes } from "./authorizer.ts";
import type { FairQueue, Seat } from "./fair-queue.ts";
import { mastersGroup } from "./well-known-users.ts";

export interface GateDeps {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly queue: FairQueue;
}

/** A request that may go on. */
export interface Admitted {
  readonly user: UserInfo;
  /** For the client, as Warning headers. */
  readonly warnings: readonly string[];
  /** Released when the answer is sent; by a watch as soon as its initial part is, because it may go on for hours. */
  readonly seat: Seat;
}

/** What a user would be asking for with this request. */
export type AttributesOf = (user: UserInfo) => RequestAttributes;

/**
 * The way in, in the order of Kubernetes: who is it, whom do they want to be, is it their turn, may they do it. Rejects
 * with a StatusError: Unauthorized, Forbidden or TooManyRequests.
 */
export async function enter(
  request: ImpersonationRequest,
  attributesOf: AttributesOf,
  { authenticator, authorizer, queue }: GateDeps,
  signal: AbortSignal,
): Promise<Admitted> {
  const { user: requester, warnings } = await authenticator.authenticate(request, signal);
  const user = await impersonatedUser(request, requester, authorizer, signal);
  const isFree = isExempt(user, request.path);
  const seat = isFree ? freeSeat : await queue.take({ plane: request.plane, user: user.username }, signal);
  try {
    const attributes = attributesOf(user);
    const { outcome, reason } = await authorizer.authorize(attributes, signal);
    if (outcome !== "allow") throw new StatusError(forbiddenRequest(attributes, reason));
  } catch (error) {
    seat.release();
    throw error;
  }
  return { user, warnings, seat };
}

/**
 * Whether whoever is known to ask is a master, and asks as itself. Masters wait for no turn, and the first authorizer
 * allows them everything: those in this process, who ask most of all, need not go through the gate to hear that.
 */
export function isMasterAsItself({ groups }: UserInfo, headers: RequestHeaders): boolean {
  return groups.includes(mastersGroup) && !impersonates(headers);
}

const freeSeat: Seat = { release: () => undefined };
const probes: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

/** A server that is too busy to say how it is would be restarted; one too busy for its masters cannot be helped. */
export function isExempt(user: UserInfo, path: string): boolean {
  return user.groups.includes(mastersGroup) || probes.has(path);
}
