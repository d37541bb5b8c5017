import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { TokenAuthenticator } from "../authentication/token-authenticator.ts";
import type { Authorizer } from "../authorizer.ts";
import type { PolicyIndex } from "../rbac/rules-by-subject.ts";

/** The user who requests a review, and where. */
export interface ReviewContext {
  readonly user: UserInfo;
  readonly plane: string;
  /** The scoped view that the path names; left out: the whole plane. */
  readonly view?: string;
  /** From the request's path; empty for all reviews but local ones. */
  readonly namespace: string;
}

export interface ReviewDeps {
  readonly authorizer: Authorizer;
  readonly policies: PolicyIndex;
  /** Whether authorizers other than RBAC exist, whose rules cannot be listed. */
  readonly hasUnlistedRules?: boolean;
  readonly tokens: TokenAuthenticator;
  /** Audiences of this server; the default audiences of a token. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}
