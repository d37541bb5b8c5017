import { hash, randomBytes } from "node:crypto";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import type { TokenAuthenticator, TokenIdentity } from "./token-authenticator.ts";

export interface TableToken {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Tokens known from the start. They are looked up by a keyed hash, so that the time an answer takes says nothing about
 * how much of a guess was right, and the table holds no token that could be read out of memory.
 */
export function tokenTable(tokens: readonly TableToken[]): TokenAuthenticator {
  const key = randomBytes(32).toString("base64");
  // Digests are never shown, so that nobody can go on from one to that of a longer token: the key in front is enough.
  const digestOf = (token: string) => hash("sha256", key + token, "base64");
  const identities = new Map<string, TokenIdentity>();
  for (const { token, user } of tokens) {
    if (!/^\S+$/.test(token))
      throw new Error(`the token of user ${JSON.stringify(user.username)} is empty or has spaces`);
    identities.set(digestOf(token), { user });
  }
  return { authenticateToken: async (token) => identities.get(digestOf(token)) };
}
