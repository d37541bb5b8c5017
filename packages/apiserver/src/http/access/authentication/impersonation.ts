import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { firstHeader, type RequestCredentials } from "../authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes, resourceAttributes } from "../authorizer.ts";
import { parseServiceAccountUsername, serviceAccountGroups, serviceAccountUsername } from "../service-account-name.ts";
import { anonymousName, authenticatedGroup, unauthenticatedGroup } from "../well-known-users.ts";

/** One thing about the user somebody wants to be, to be allowed on its own. */
interface Wish {
  readonly kind: "ServiceAccount" | "User" | "Group" | "UserExtra" | "UID";
  readonly name: string;
  readonly namespace: string;
  /** Of UserExtra. */
  readonly key: string;
}

export interface ImpersonationRequest extends RequestCredentials {
  readonly plane: string;
  /** The path with its query, as the client wrote it. */
  readonly uri: string;
}

const extraPrefix = "impersonate-extra-";
/** Each wish is a decision of its own, and costs the server as much as a request. */
const wishesMax = 1_000;

/**
 * The user a request is made as: its own, or the one its headers ask to be. Rejects with a StatusError when the
 * headers make no sense, or when the requester may not be any part of that user.
 */
export async function impersonatedUser(
  request: ImpersonationRequest,
  requester: UserInfo,
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<UserInfo> {
  const wishes = wishesIn(request.headers);
  if (wishes.length === 0) return requester;
  refuseNonsense(request.uri, wishes);
  for (const wish of wishes) {
    const attributes = attributesOf(wish, requester, request.plane);
    const { outcome, reason } = await authorizer.authorize(attributes, signal);
    if (outcome !== "allow") throw new StatusError(forbiddenRequest(attributes, reason));
  }
  return userOf(wishes);
}

export function wantsToBeAnother(headers: RequestHeaders): boolean {
  for (const header in headers) if (header.startsWith("impersonate-")) return true;
  return false;
}

function wishesIn(headers: RequestHeaders): readonly Wish[] {
  if (!wantsToBeAnother(headers)) return [];
  const user = firstHeader(headers, "impersonate-user");
  const uid = firstHeader(headers, "impersonate-uid");
  const groups = headers["impersonate-group"] ?? [];
  return [
    ...(user === "" ? [] : [userWish(user)]),
    ...groups.map((name) => wish("Group", name)),
    ...Object.entries(headers).flatMap(([header, values = []]) => extraWishes(header, values)),
    ...(uid === "" ? [] : [wish("UID", uid)]),
  ];
}

function userWish(username: string): Wish {
  const account = parseServiceAccountUsername(username);
  return account === undefined ? wish("User", username) : { kind: "ServiceAccount", ...account, key: "" };
}

function extraWishes(header: string, values: readonly string[]): readonly Wish[] {
  if (!header.startsWith(extraPrefix)) return [];
  const key = unescapedKey(header.slice(extraPrefix.length));
  return values.map((value) => ({ ...wish("UserExtra", value), key }));
}

function wish(kind: Wish["kind"], name: string): Wish {
  return { kind, name, namespace: "", key: "" };
}

/** A key that is badly escaped is taken as it stands. */
function unescapedKey(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** A refusal that Kubernetes makes before it talks in objects: bare text. */
export class PlainFailure extends Error {
  override readonly name = "PlainFailure";
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

function refuseNonsense(uri: string, wishes: readonly Wish[]): void {
  const first = wishes[0]?.kind;
  if (first !== "User" && first !== "ServiceAccount") {
    const shown = wishes.map(referenceText).join(" ");
    const because = `requested [${shown}] without impersonating a user`;
    throw new PlainFailure(500, `Internal Server Error: ${quote(uri)}: ${because}`);
  }
  if (wishes.length > wishesMax) {
    throw new StatusError(failure("BadRequest", `at most ${wishesMax} groups and extra values can be impersonated`));
  }
}

/** The fields of an ObjectReference as Go prints them: kind, namespace, name, uid, apiVersion, resourceVersion, path. */
function referenceText({ kind, namespace, name, key }: Wish): string {
  const version = kind === "UserExtra" || kind === "UID" ? "authentication.k8s.io/v1" : "";
  return `{${[kind, namespace, name, "", version, "", key].join(" ")}}`;
}

const wishResources = {
  ServiceAccount: { group: "", version: "v1", resource: "serviceaccounts" },
  User: { group: "", version: "v1", resource: "users" },
  Group: { group: "", version: "v1", resource: "groups" },
  UserExtra: { group: "authentication.k8s.io", version: "v1", resource: "userextras" },
  UID: { group: "authentication.k8s.io", version: "v1", resource: "uids" },
} as const;

function attributesOf({ kind, name, namespace, key }: Wish, user: UserInfo, plane: string): RequestAttributes {
  return resourceAttributes(user, {
    ...wishResources[kind],
    verb: "impersonate",
    plane,
    namespace,
    name,
    subresource: key,
  });
}

function userOf(wishes: readonly Wish[]): UserInfo {
  const named = (kind: Wish["kind"]) => wishes.filter((each) => each.kind === kind).map((each) => each.name);
  const [account] = wishes.filter((each) => each.kind === "ServiceAccount");
  const username = account === undefined ? (named("User")[0] as string) : serviceAccountUsername(account);
  const asked = named("Group");
  const implied = account !== undefined && asked.length === 0 ? serviceAccountGroups(account.namespace) : asked;
  return { username, uid: named("UID")[0] ?? "", groups: withProofGroup(username, implied), extra: extraOf(wishes) };
}

/** Groups that are asked for are the last word on whether the user counts as authenticated. */
function withProofGroup(username: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(unauthenticatedGroup)) return groups;
  if (username === anonymousName) return [...groups, unauthenticatedGroup];
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup];
}

function extraOf(wishes: readonly Wish[]): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, string[]> = {};
  for (const { kind, key, name } of wishes) {
    if (kind !== "UserExtra") continue;
    setOwn(extra, key, [...((Object.hasOwn(extra, key) ? extra[key] : undefined) ?? []), name]);
  }
  return extra;
}
