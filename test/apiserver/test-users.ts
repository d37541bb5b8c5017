import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

/** The user of a request: given by the caller, or authenticated by its headers. */
export type TestUser = UserInfo | "from headers";

export function userNamed(username: string, groups: readonly string[] = []): UserInfo {
  return { username, uid: "", groups: [...groups, "system:authenticated"], extra: {} };
}

export const users = {
  admin: userNamed("admin", ["system:masters"]),
  alice: userNamed("alice"),
  bob: userNamed("bob"),
} as const;
