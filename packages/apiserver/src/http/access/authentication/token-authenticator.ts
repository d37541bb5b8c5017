import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

export interface TokenIdentity {
  readonly user: UserInfo;
  /** Audiences of the token; left out: this server only. */
  readonly audiences?: readonly string[];
}

/** Undefined for a token that another authenticator may know. */
export interface TokenAuthenticator {
  authenticateToken(token: string, signal: AbortSignal): Promise<TokenIdentity | undefined>;
}

/** Longer than any real token; bounds the work of hashing for unauthenticated clients. */
const tokenLengthMax = 16_384;

/**
 * The first authenticator that knows the token decides. Undefined for unknown tokens and for tokens that are too long.
 */
export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): TokenAuthenticator {
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
