import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

export const anonymousName = "system:anonymous";
/** Members are allowed everything regardless of RBAC: the way in when roles are broken. */
export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";

export const anonymousUser: UserInfo = {
  username: anonymousName,
  uid: "",
  groups: [unauthenticatedGroup],
  extra: {},
};

/** All authenticated users are in `system:authenticated`; a user that already lists the group is returned unchanged. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const settled = user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup);
  if (settled || user.username === anonymousName) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** The JSON form of a user: empty fields are omitted. */
export function userInfoJson(user: UserInfo): { readonly [key: string]: string | readonly string[] | ExtraJson } {
  return {
    ...(user.username === "" ? {} : { username: user.username }),
    ...(user.uid === "" ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}

type ExtraJson = { readonly [key: string]: readonly string[] };
