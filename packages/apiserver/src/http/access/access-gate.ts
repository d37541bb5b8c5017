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

/** A request that passed authentication, flow control and authorization. */
export interface AuthorizedRequest {
  readonly user: UserInfo;
  /** For the client, as Warning headers. */
  readonly warnings: readonly string[];
  /** Released when the response is sent; by a watch after its initial events, because it may stay open for hours. */
  readonly seat: Seat;
}

/** The attributes that authorization checks, for a given user. */
export type AttributesOf = (user: UserInfo) => RequestAttributes;

/**
 * The stages of Kubernetes in its order: authentication, impersonation, flow control, authorization. Rejects with a
 * StatusError: Unauthorized, Forbidden or TooManyRequests.
 */
export async function authorizeRequest(
  request: ImpersonationRequest,
  attributesOf: AttributesOf,
  { authenticator, authorizer, queue }: GateDeps,
  signal: AbortSignal,
): Promise<AuthorizedRequest> {
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
 * Whether an already authenticated user is in system:masters and impersonates no other. Masters are exempt from flow
 * control and the first authorizer allows them everything. Hot: requests from inside the process skip the gate because
 * of this.
 */
export function isUnimpersonatedMaster({ groups }: UserInfo, headers: RequestHeaders): boolean {
  return groups.includes(mastersGroup) && !impersonates(headers);
}

const freeSeat: Seat = { release: () => undefined };
const probes: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

/** Health checks are exempt so that a busy server is not restarted; masters are exempt so that they can repair it. */
export function isExempt(user: UserInfo, path: string): boolean {
  return user.groups.includes(mastersGroup) || probes.has(path);
}
