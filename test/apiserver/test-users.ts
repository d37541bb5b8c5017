import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

/** Whom a request is from: a user that the caller vouches for, or whoever its headers prove it to be from. */
export type TestUser = UserInfo | "from headers";

export function userNamed(username: string, groups: readonly string[] = []): UserInfo {
  return { username, uid: "", groups: [...groups, "system:authenticated"], extra: {} };
}

export const users = {
  admin: userNamed("admin", ["system:masters"]),
  alice: userNamed("alice"),
  bob: userNamed("bob"),
} as const;
