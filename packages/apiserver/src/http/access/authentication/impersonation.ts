import type { RequestHeaders } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { firstHeader, type RequestCredentials } from "../authenticator.ts";
import { type Authorizer, forbiddenRequest, type RequestAttributes, resourceAttributes } from "../authorizer.ts";
import { parseServiceAccountUsername, serviceAccountGroups, serviceAccountUsername } from "../service-account-name.ts";
import { anonymousName, authenticatedGroup, unauthenticatedGroup } from "../well-known-users.ts";

/** One attribute of the user to impersonate; each is authorized separately. */
interface ImpersonationReference {
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
/** Each reference is authorized separately, which costs the server as much as a request. */
const referencesMax = 1_000;

/**
 * The user a request acts as: the authenticated one, or the one its headers impersonate. Throws a StatusError when the
 * headers are invalid, or when the requester may not impersonate that user.
 */
export async function impersonatedUser(
  request: ImpersonationRequest,
  requester: UserInfo,
  authorizer: Authorizer,
  signal: AbortSignal,
): Promise<UserInfo> {
  const references = impersonationReferences(request.headers);
  if (references.length === 0) return requester;
  rejectInvalid(request.uri, references);
  for (const reference of references) {
    const attributes = attributesOf(reference, requester, request.plane);
    const { outcome, reason } = await authorizer.authorize(attributes, signal);
    if (outcome !== "allow") throw new StatusError(forbiddenRequest(attributes, reason));
  }
  return userOf(references);
}

export function impersonates(headers: RequestHeaders): boolean {
  for (const header in headers) if (header.startsWith("impersonate-")) return true;
  return false;
}

function impersonationReferences(headers: RequestHeaders): readonly ImpersonationReference[] {
  if (!impersonates(headers)) return [];
  const user = firstHeader(headers, "impersonate-user");
  const uid = firstHeader(headers, "impersonate-uid");
  const groups = headers["impersonate-group"] ?? [];
  return [
    ...(user === "" ? [] : [userReference(user)]),
    ...groups.map((name) => referenceTo("Group", name)),
    ...Object.entries(headers).flatMap(([header, values = []]) => extraReferences(header, values)),
    ...(uid === "" ? [] : [referenceTo("UID", uid)]),
  ];
}

function userReference(username: string): ImpersonationReference {
  const account = parseServiceAccountUsername(username);
  return account === undefined ? referenceTo("User", username) : { kind: "ServiceAccount", ...account, key: "" };
}

function extraReferences(header: string, values: readonly string[]): readonly ImpersonationReference[] {
  if (!header.startsWith(extraPrefix)) return [];
  const key = unescapedKey(header.slice(extraPrefix.length));
  return values.map((value) => ({ ...referenceTo("UserExtra", value), key }));
}

function referenceTo(kind: ImpersonationReference["kind"], name: string): ImpersonationReference {
  return { kind, name, namespace: "", key: "" };
}

/** An invalid escape sequence leaves the key as it is. */
function unescapedKey(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** A failure that Kubernetes answers with plain text instead of a Status. */
export class PlainFailure extends Error {
  override readonly name = "PlainFailure";
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

function rejectInvalid(uri: string, references: readonly ImpersonationReference[]): void {
  const first = references[0]?.kind;
  if (first !== "User" && first !== "ServiceAccount") {
    const shown = references.map(referenceText).join(" ");
    const because = `requested [${shown}] without impersonating a user`;
    throw new PlainFailure(500, `Internal Server Error: ${quote(uri)}: ${because}`);
  }
  if (references.length > referencesMax) {
    throw new StatusError(
      failure("BadRequest", `at most ${referencesMax} groups and extra values can be impersonated`),
    );
  }
}

/** The fields of an ObjectReference as Go prints them: kind, namespace, name, uid, apiVersion, resourceVersion, path. */
function referenceText({ kind, namespace, name, key }: ImpersonationReference): string {
  const version = kind === "UserExtra" || kind === "UID" ? "authentication.k8s.io/v1" : "";
  return `{${[kind, namespace, name, "", version, "", key].join(" ")}}`;
}

const referenceResources = {
  ServiceAccount: { group: "", version: "v1", resource: "serviceaccounts" },
  User: { group: "", version: "v1", resource: "users" },
  Group: { group: "", version: "v1", resource: "groups" },
  UserExtra: { group: "authentication.k8s.io", version: "v1", resource: "userextras" },
  UID: { group: "authentication.k8s.io", version: "v1", resource: "uids" },
} as const;

function attributesOf(
  { kind, name, namespace, key }: ImpersonationReference,
  user: UserInfo,
  plane: string,
): RequestAttributes {
  return resourceAttributes(user, {
    ...referenceResources[kind],
    verb: "impersonate",
    plane,
    namespace,
    name,
    subresource: key,
  });
}

function userOf(references: readonly ImpersonationReference[]): UserInfo {
  const named = (kind: ImpersonationReference["kind"]) =>
    references.filter((each) => each.kind === kind).map((each) => each.name);
  const [account] = references.filter((each) => each.kind === "ServiceAccount");
  const username = account === undefined ? (named("User")[0] as string) : serviceAccountUsername(account);
  const asked = named("Group");
  const implied = account !== undefined && asked.length === 0 ? serviceAccountGroups(account.namespace) : asked;
  return {
    username,
    uid: named("UID")[0] ?? "",
    groups: withAuthenticationGroup(username, implied),
    extra: extraOf(references),
  };
}

/** An impersonated group decides whether the user counts as authenticated. */
function withAuthenticationGroup(username: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(unauthenticatedGroup)) return groups;
  if (username === anonymousName) return [...groups, unauthenticatedGroup];
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup];
}

function extraOf(references: readonly ImpersonationReference[]): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, string[]> = {};
  for (const { kind, key, name } of references) {
    if (kind !== "UserExtra") continue;
    setOwn(extra, key, [...((Object.hasOwn(extra, key) ? extra[key] : undefined) ?? []), name]);
  }
  return extra;
}
