import { X509Certificate } from "node:crypto";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { describe, expect, it } from "vitest";
import {
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "../../certificates/certificate-authority.ts";
import type { RequestCredentials } from "../authenticator.ts";
import { requestAuthenticator } from "./request-authenticator.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";
import { tokenTable } from "./token-table.ts";

const nowMs = 1_700_000_000_000;
const day = 86_400_000;
const signal = new AbortController().signal;
const lifetime = { nowMs, lifetimeMs: 100 * day };
const authority = createAuthority("ours", lifetime);
const clientOf = (user: string, ...groups: string[]) =>
  new X509Certificate(issueClientCertificate(authority, { user, groups }, { nowMs, lifetimeMs: day }).certificatePem);

const bob: UserInfo = { username: "bob", uid: "7", groups: ["ops"], extra: { scopes: ["a"] } };
const issued: TokenAuthenticator = {
  authenticateToken: async (token) => {
    if (token === "issued") return { user: { ...bob, username: "carol" }, audiences: ["https://milo"] };
    return token === "elsewhere" ? { user: bob, audiences: ["https://other"] } : undefined;
  },
};

const authenticator = (atMs: number) =>
  requestAuthenticator({
    tokens: [tokenTable([{ token: "secret", user: bob }]), issued],
    authorities: [authority.certificate],
    audiences: ["https://milo"],
    clock: { now: () => atMs, after: () => ({ stop: () => undefined }) },
  });

async function who(request: Partial<RequestCredentials>, atMs = nowMs): Promise<string> {
  try {
    const { user } = await authenticator(atMs).authenticate({ path: "/api", headers: {}, ...request }, signal);
    return `${user.username} [${user.groups.join(" ")}]`;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

const bearing = (...values: string[]) => ({ headers: { authorization: values } });
const anonymous = "system:anonymous [system:unauthenticated]";

describe("a bearer token", () => {
  const cases: Record<string, [request: Partial<RequestCredentials>, answer: string]> = {
    "of the token table is accepted": [bearing("Bearer secret"), "bob [ops system:authenticated]"],
    "is accepted with its scheme in any case": [bearing("bearer secret"), "bob [ops system:authenticated]"],
    "with trailing text is accepted": [bearing("Bearer secret more"), "bob [ops system:authenticated]"],
    "issued later is accepted": [bearing("Bearer issued"), "carol [ops system:authenticated]"],
    "for another audience is rejected": [bearing("Bearer elsewhere"), "401 Unauthorized"],
    "that is unknown is rejected": [bearing("Bearer wrong"), "401 Unauthorized"],
    "that is unknown is rejected even on anonymous paths": [
      { ...bearing("Bearer wrong"), path: "/healthz" },
      "401 Unauthorized",
    ],
    "that is too long is rejected": [bearing(`Bearer ${"x".repeat(20_000)}`), "401 Unauthorized"],
    "of another scheme is ignored": [{ ...bearing("Basic c2VjcmV0"), path: "/healthz" }, anonymous],
    "that is empty is ignored": [{ ...bearing("Bearer "), path: "/healthz" }, anonymous],
    "in a second header is not read": [bearing("Bearer wrong", "Bearer secret"), "401 Unauthorized"],
  };
  for (const [name, [request, answer]] of Object.entries(cases)) {
    it(name, async () => expect(await who(request)).toBe(answer));
  }

  it("after two spaces is ignored, with a warning", async () => {
    const request = { path: "/healthz", ...bearing("Bearer  secret") };
    expect((await authenticator(nowMs).authenticate(request, signal)).warnings).toEqual([
      "the provided Authorization header contains extra space before the bearer token, and is ignored",
    ]);
  });

  it("in the token table must be valid", () => {
    expect(() => tokenTable([{ token: "", user: bob }])).toThrow(/the token of user "bob" is empty or has spaces/);
    expect(() => tokenTable([{ token: "a b", user: bob }])).toThrow(/empty or has spaces/);
  });
});

describe("a client certificate", () => {
  const stranger = createAuthority("ours", lifetime);
  const foreign = new X509Certificate(
    issueClientCertificate(stranger, { user: "root", groups: ["system:masters"] }, lifetime).certificatePem,
  );
  const serving = new X509Certificate(
    issueServerCertificate(authority, { commonName: "root", dnsNames: ["localhost"], ipAddresses: [] }, lifetime)
      .certificatePem,
  );

  const cases: Record<string, [request: Partial<RequestCredentials>, answer: string, atMs?: number]> = {
    "names its user and groups": [{ clientCertificate: clientOf("dave", "a", "b") }, "dave [a b system:authenticated]"],
    "takes precedence over a token": [
      { clientCertificate: clientOf("dave"), ...bearing("Bearer secret") },
      "dave [system:authenticated]",
    ],
    "of another authority with the same name is rejected": [{ clientCertificate: foreign }, "401 Unauthorized"],
    "of another authority falls back to the token": [
      { clientCertificate: foreign, ...bearing("Bearer secret") },
      "bob [ops system:authenticated]",
    ],
    "of another issuer is rejected even on anonymous paths": [
      { clientCertificate: foreign, path: "/healthz" },
      "401 Unauthorized",
    ],
    "for server authentication is rejected": [{ clientCertificate: serving }, "401 Unauthorized"],
    "that expired is rejected": [{ clientCertificate: clientOf("dave") }, "401 Unauthorized", nowMs + 2 * day],
    "that is not yet valid is rejected": [{ clientCertificate: clientOf("dave") }, "401 Unauthorized", nowMs - day],
    "of an authority that expired is rejected": [
      { clientCertificate: clientOf("dave") },
      "401 Unauthorized",
      nowMs + 200 * day,
    ],
    "of the authority itself names the authority: its key can impersonate any user": [
      { clientCertificate: authority.certificate },
      "ours [system:authenticated]",
    ],
  };
  for (const [name, [request, answer, atMs]] of Object.entries(cases)) {
    it(name, async () => expect(await who(request, atMs)).toBe(answer));
  }

  it("is verified on each request: it expires on an open connection", async () => {
    const ours = requestAuthenticator({
      tokens: [],
      authorities: [authority.certificate],
      clock: { now: () => now, after: () => ({ stop: () => undefined }) },
    });
    const request = { path: "/api", headers: {}, clientCertificate: clientOf("dave") };
    let now = nowMs;
    expect((await ours.authenticate(request, signal)).user.username).toBe("dave");
    now += 2 * day;
    await expect(ours.authenticate(request, signal)).rejects.toThrow("Unauthorized");
  });

  it("has a different credential ID from another certificate of the same user", async () => {
    const clientCertificate = clientOf("dave");
    const { user } = await authenticator(nowMs).authenticate({ path: "/", headers: {}, clientCertificate }, signal);
    expect(user.extra["authentication.kubernetes.io/credential-id"]).toEqual([
      `X509SHA256=${clientCertificate.fingerprint256.replaceAll(":", "").toLowerCase()}`,
    ]);
  });
});

describe("a request without credentials", () => {
  const cases: Record<string, string> = {
    "/healthz": anonymous,
    "/livez/ping": anonymous,
    "/readyz": anonymous,
    "/version/": anonymous,
    "/healthzz": "401 Unauthorized",
    "/api": "401 Unauthorized",
    "/apis/version": "401 Unauthorized",
  };
  for (const [path, answer] of Object.entries(cases)) {
    it(`for ${path} is ${answer}`, async () => expect(await who({ path })).toBe(answer));
  }

  it("is answered as Kubernetes does", async () => {
    const rejected = authenticator(nowMs).authenticate({ path: "/api", headers: {} }, signal);
    await expect(rejected).rejects.toMatchObject({
      status: {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      },
    });
  });
});
