import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

export interface TokenIdentity {
  readonly user: UserInfo;
  /** Whom the token may be shown to; left out: this server and nobody else. */
  readonly audiences?: readonly string[];
}

/** Somebody who knows tokens. Undefined: not one of mine, ask the next. */
export interface TokenAuthenticator {
  authenticateToken(token: string, signal: AbortSignal): Promise<TokenIdentity | undefined>;
}

/** Longer than any token there is, and what is hashed for somebody who has shown nothing yet. */
const tokenLengthMax = 16_384;

/** The first who knows the token decides. A token nobody knows is undefined; so is one that is too long. */
export function firstToKnow(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticateToken(token, signal) {
      if (token === "" || token.length > tokenLengthMax) return undefined;
      for (const authenticator of authenticators) {
        const identity = await authenticator.authenticateToken(token, signal);
        if (identity !== undefined) return identity;
      }
      return undefined;
    },
  };
}
