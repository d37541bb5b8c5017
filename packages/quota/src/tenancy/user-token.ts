import { createHash, timingSafeEqual } from "node:crypto";
import { type FieldIssue, invalid, type Parsed, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseTime, timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { systemNamespace } from "../core/resources/well-known.ts";
import { iamGroup, tenancyVersion } from "./resources/tenancy-names.ts";

/** The type of Secrets that tokens of users are kept in, by their hashes alone. */
export const userTokenType = "quota.miloapis.com/user-token";

const userTokenLabel = "iam.miloapis.com/user";

const namePrefix = "user-token-";
const tokenFormat = /^mqt-([0-9a-f]{16})-([A-Za-z0-9_-]{43})$/;
const groupsMax = 64;

/** For whom a token is made, and until when. */
export interface TokenOrder {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Milliseconds since 1970; left out: until it is deleted. */
  readonly expiresAtMs?: number;
  /** The User, if there is one: the token goes with it. */
  readonly owner?: { readonly name: string; readonly uid: string };
}

/** A token as it is handed out once, and the Secret that it is known by afterwards. */
export interface MadeToken {
  readonly token: string;
  readonly secret: {
    readonly apiVersion: "v1";
    readonly kind: "Secret";
    readonly type: string;
    readonly metadata: ObjectMeta;
    readonly data: Readonly<Record<string, string>>;
  };
}

/** Refuses names that the server keeps for itself: a token must not make its bearer a master. */
export function makeUserToken(order: TokenOrder, randomBytes: (count: number) => Uint8Array): MadeToken {
  const issues = orderIssues(order);
  if (issues.length > 0) throw new TypeError(issues.map(({ field, message }) => `${field}: ${message}`).join("; "));
  const { user, groups = [], expiresAtMs, owner } = order;
  const id = Buffer.from(randomBytes(8)).toString("hex");
  const key = Buffer.from(randomBytes(32)).toString("base64url");
  const data = {
    user,
    hash: hashOf(key).toString("hex"),
    ...(groups.length === 0 ? {} : { groups: groups.join(",") }),
    ...(expiresAtMs === undefined ? {} : { expiration: timeText(expiresAtMs) }),
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
  return { token: `mqt-${id}-${key}`, secret: secret as MadeToken["secret"] };
}

/** A token as it is remembered. */
export interface KnownToken {
  readonly user: string;
  readonly groups: readonly string[];
  readonly hash: Uint8Array;
  readonly expiresAtMs: number | undefined;
}

/** Reads the Secret of a token. */
export function parseUserToken(value: JsonValue): Parsed<KnownToken> {
  const [user, hash, groups, expiration] = ["user", "hash", "groups", "expiration"].map((name) => textIn(value, name));
  const expiresAtMs = expiration === undefined ? undefined : parseTime(expiration);
  const order = { user: user ?? "", groups: (groups ?? "").split(",").filter((group) => group !== "") };
  const issues = orderIssues(order);
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash))
    issues.push(required("data.hash", "the SHA-256 of the token"));
  if (expiration !== undefined && expiresAtMs === undefined) {
    issues.push(invalid("data.expiration", expiration, "must be a time such as 2026-01-31T12:00:00Z"));
  }
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: { ...order, hash: Buffer.from(hash ?? "", "hex"), expiresAtMs } };
}

/** What a token says itself: the name of the Secret it is kept in, and what is hashed. Undefined for other tokens. */
export function readToken(token: string): { readonly secretName: string; readonly key: string } | undefined {
  const [, id, key] = tokenFormat.exec(token) ?? [];
  return id === undefined || key === undefined ? undefined : { secretName: `${namePrefix}${id}`, key };
}

/** Takes the same time for every key. Keys are random and long, so that a plain hash gives nothing away. */
export function isKeyOf(key: string, { hash }: KnownToken): boolean {
  const given = hashOf(key);
  return given.length === hash.length && timingSafeEqual(given, hash);
}

function orderIssues({ user, groups = [] }: TokenOrder): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (user === "") issues.push(required("user"));
  if (groups.length > groupsMax) issues.push(invalid("groups", groups.length, `must be at most ${groupsMax}`));
  for (const [field, names] of [
    ["user", [user]],
    ["groups", groups],
  ] as const) {
    const reserved = names.find((name) => name.startsWith("system:"));
    if (reserved !== undefined)
      issues.push(invalid(field, reserved, "names that begin with system: are the server's own"));
    const odd = names.find((name) => /[\p{Cc},]/u.test(name) || name.length > 253);
    if (odd !== undefined) issues.push(invalid(field, odd, "must be a short name without commas"));
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
