import { createHash, timingSafeEqual } from "node:crypto";
import { type FieldIssue, invalid, type Parsed, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { formatTime, parseTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import { iamGroup, tenancyVersion } from "./resources/tenancy-names.ts";

/** The type of the Secrets that store user tokens. They contain only the hash of the token. */
export const userTokenType = "quota.miloapis.com/user-token";

const userTokenLabel = "iam.miloapis.com/user";

const namePrefix = "user-token-";
const tokenFormat = /^mqt-([0-9a-f]{16})-([A-Za-z0-9_-]{43})$/;
const groupsMax = 64;

/** The user and the expiry of a token to issue. */
export interface TokenRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Milliseconds since 1970. Omitted: valid until it is deleted. */
  readonly expiresAtMs?: number;
  /** The User object, if it exists: the token is deleted with it. */
  readonly owner?: { readonly name: string; readonly uid: string };
}

/** A token, which is shown only once, and the Secret to store for it. */
export interface IssuedToken {
  readonly token: string;
  readonly secret: {
    readonly apiVersion: "v1";
    readonly kind: "Secret";
    readonly type: string;
    readonly metadata: ObjectMeta;
    readonly data: Readonly<Record<string, string>>;
  };
}

/** Throws for reserved names, because a token must not put its bearer into system:masters. */
export function issueUserToken(request: TokenRequest, randomBytes: (count: number) => Uint8Array): IssuedToken {
  const issues = userTokenIssues(request);
  if (issues.length > 0) throw new TypeError(issues.map(({ field, message }) => `${field}: ${message}`).join("; "));
  const { user, groups = [], expiresAtMs, owner } = request;
  const id = Buffer.from(randomBytes(8)).toString("hex");
  const key = Buffer.from(randomBytes(32)).toString("base64url");
  const data = {
    user,
    hash: hashOf(key).toString("hex"),
    ...(groups.length === 0 ? {} : { groups: groups.join(",") }),
    ...(expiresAtMs === undefined ? {} : { expiration: formatTime(expiresAtMs) }),
  };
  const reference = owner && { apiVersion: `${iamGroup}/${tenancyVersion}`, kind: "User", ...owner };
  const metadata = {
    name: `${namePrefix}${id}`,
    namespace: systemNamespace,
    labels: { [userTokenLabel]: user.slice(0, 63).replace(/[^A-Za-z0-9]+$/, "") },
    ...(reference === undefined ? {} : { ownerReferences: [reference] }),
  };
  const encoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  const secret = { apiVersion: "v1", kind: "Secret", type: userTokenType, metadata, data: Object.fromEntries(encoded) };
  return { token: `mqt-${id}-${key}`, secret: secret as IssuedToken["secret"] };
}

/** A token as its Secret has it. */
export interface StoredToken {
  readonly user: string;
  readonly groups: readonly string[];
  readonly hash: Uint8Array;
  readonly expiresAtMs: number | undefined;
}

/** Parses the Secret of a token. */
export function parseUserToken(value: JsonValue): Parsed<StoredToken> {
  const [user, hash, groups, expiration] = ["user", "hash", "groups", "expiration"].map((name) => textIn(value, name));
  const expiresAtMs = expiration === undefined ? undefined : parseTime(expiration);
  const request = { user: user ?? "", groups: (groups ?? "").split(",").filter((group) => group !== "") };
  const issues = userTokenIssues(request);
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash))
    issues.push(required("data.hash", "the SHA-256 of the token"));
  if (expiration !== undefined && expiresAtMs === undefined) {
    issues.push(invalid("data.expiration", expiration, "must be a time such as 2026-01-31T12:00:00Z"));
  }
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: { ...request, hash: Buffer.from(hash ?? "", "hex"), expiresAtMs } };
}

/** The name of the token's Secret, and the key that is hashed in it. Undefined for other tokens. */
export function readToken(token: string): { readonly secretName: string; readonly key: string } | undefined {
  const [, id, key] = tokenFormat.exec(token) ?? [];
  return id === undefined || key === undefined ? undefined : { secretName: `${namePrefix}${id}`, key };
}

/** Compares in constant time. Keys are random and long, so that an unsalted hash is safe. */
export function isKeyOf(key: string, { hash }: StoredToken): boolean {
  const given = hashOf(key);
  return given.length === hash.length && timingSafeEqual(given, hash);
}

/** Why no token can be created with these names; empty if one can. */
export function userTokenIssues({ user, groups = [] }: TokenRequest): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (user === "") issues.push(required("user"));
  if (groups.length > groupsMax) issues.push(invalid("groups", groups.length, `must be at most ${groupsMax}`));
  for (const [field, names] of [
    ["user", [user]],
    ["groups", groups],
  ] as const) {
    const reserved = names.find((name) => name.startsWith("system:"));
    if (reserved !== undefined) issues.push(invalid(field, reserved, "names that start with system: are reserved"));
    const malformed = names.find((name) => /[\p{Cc},]/u.test(name) || name.length > 253);
    if (malformed !== undefined) issues.push(invalid(field, malformed, "must be a short name without commas"));
  }
  return issues;
}

function textIn(secret: JsonValue, name: string): string | undefined {
  const data = isJsonObject(secret) ? ownValue(secret, "data") : undefined;
  const value = isJsonObject(data) ? ownValue(data, name) : undefined;
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key, "utf8").digest();
}
