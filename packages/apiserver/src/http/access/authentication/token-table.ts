import { hash, randomBytes } from "node:crypto";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { TokenAuthenticator, TokenIdentity } from "./token-authenticator.ts";

export interface TableToken {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * A static token table. Tokens are looked up by a keyed hash, so that response times reveal nothing about a guess and
 * the table holds no token that could be read out of memory.
 */
export function tokenTable(tokens: readonly TableToken[]): TokenAuthenticator {
  const key = randomBytes(32).toString("base64");
  // Digests are never shown, so length extension is no concern and a key prefix suffices.
  const digestOf = (token: string) => hash("sha256", key + token, "base64");
  const identities = new Map<string, TokenIdentity>();
  for (const { token, user } of tokens) {
    if (!/^\S+$/.test(token))
      throw new Error(`the token of user ${JSON.stringify(user.username)} is empty or has spaces`);
    identities.set(digestOf(token), { user });
  }
  return { authenticateToken: async (token) => identities.get(digestOf(token)) };
}
