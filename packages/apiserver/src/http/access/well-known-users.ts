import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";

export const anonymousName = "system:anonymous";
/** Its members may do anything, whatever roles say: the way in when roles are broken. */
export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";

export const anonymousUser: UserInfo = {
  username: anonymousName,
  uid: "",
  groups: [unauthenticatedGroup],
  extra: {},
};

/** Everybody who proved a name is in `system:authenticated`; who says so already is left alone. */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  const settled = user.groups.includes(authenticatedGroup) || user.groups.includes(unauthenticatedGroup);
  if (settled || user.username === anonymousName) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** The form users have in objects: what is empty is left out. */
export function userInfoJson(user: UserInfo): { readonly [key: string]: string | readonly string[] | ExtraJson } {
  return {
    ...(user.username === "" ? {} : { username: user.username }),
    ...(user.uid === "" ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
  };
}

type ExtraJson = { readonly [key: string]: readonly string[] };
