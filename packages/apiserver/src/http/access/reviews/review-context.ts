import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import type { Authorizer } from "../authorizer.ts";
import type { PolicyIndex } from "../rbac/rules-by-subject.ts";

/** Who asks for a review, and where. */
export interface ReviewContext {
  readonly user: UserInfo;
  readonly plane: string;
  /** The name of the part of the plane that the path is for, if it is not for all of it. */
  readonly view?: string;
  /** Of the request's path; empty for all reviews but local ones. */
  readonly namespace: string;
}

/** Whom reviews ask. */
export interface ReviewDeps {
  readonly authorizer: Authorizer;
  readonly policies: PolicyIndex;
  /** Whether others than roles give rights, which nobody can list. */
  readonly hasUnlistedRights?: boolean;
  readonly tokens: TokenAuthenticator;
  /** What this server calls itself in tokens; what a token is for that does not say. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}
