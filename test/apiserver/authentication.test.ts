import {
  type CertificateAuthority,
  createAuthority,
  issueClientCertificate,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpReply, TestClient } from "./test-client.ts";
import { type Credentials, startTlsServer, type TlsServer } from "./tls-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const group = "rbac.authorization.k8s.io";
const dayMs = 24 * 60 * 60_000;

describe("the identity of a client", () => {
  let server: TlsServer;
  let admin: TestClient;

  beforeAll(async () => {
    server = await startTlsServer();
    admin = server.connect();
  });

  afterAll(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
  });

  const certificate = (authority: CertificateAuthority, user: string, groups: string[], fromMs = 0): Credentials => {
    const lifetime = { nowMs: systemClock.now() + fromMs, lifetimeMs: dayMs };
    const { certificatePem, privateKeyPem } = issueClientCertificate(authority, { user, groups }, lifetime);
    return { cert: certificatePem, key: privateKeyPem };
  };

  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const userOf = async (client: TestClient, headers = {}) => {
    const reply = await client.send("POST", whoAmI, review, headers);
    return reply.code === 201 ? reply.body.status.userInfo : reply.code;
  };

  it("can be its certificate", async () => {
    const client = server.connect(certificate(server.authority, "carol", ["team-a", "team-b"]));
    const { username, groups, extra } = await userOf(client);
    expect({ username, groups }).toEqual({ username: "carol", groups: ["team-a", "team-b", "system:authenticated"] });
    expect(extra["authentication.kubernetes.io/credential-id"][0]).toMatch(/^X509SHA256=[0-9a-f]{64}$/);
    const master = server.connect(certificate(server.authority, "root", ["system:masters"]));
    expect((await master.send("GET", configMaps)).code).toBe(200);
  });

  it("is not a certificate that is expired, not yet valid, of another authority, or for servers", async () => {
    const stranger = createAuthority("stranger", { nowMs: systemClock.now(), lifetimeMs: dayMs });
    // Another authority of the same name.
    const impostor = createAuthority("test", { nowMs: systemClock.now(), lifetimeMs: dayMs });
    const names = { commonName: "server", dnsNames: [], ipAddresses: ["127.0.0.1"] };
    const ofServer = issueServerCertificate(server.authority, names, { nowMs: systemClock.now(), lifetimeMs: dayMs });
    const bad: readonly Credentials[] = [
      certificate(server.authority, "carol", ["system:masters"], -2 * dayMs),
      certificate(server.authority, "carol", ["system:masters"], dayMs / 2),
      certificate(stranger, "carol", ["system:masters"]),
      certificate(impostor, "carol", ["system:masters"]),
      { cert: ofServer.certificatePem, key: ofServer.privateKeyPem },
    ];
    for (const credentials of bad) {
      const reply = await server.connect(credentials).send("GET", configMaps);
      expect(reply).toMatchObject({ code: 401, body: { kind: "Status", reason: "Unauthorized" } });
      expect((await server.connect(credentials).send("GET", "/readyz")).code).toBe(401);
    }
  });

  it("can be a token, even with an invalid certificate", async () => {
    expect((await userOf(server.connect({ token: "alice-token" }))).username).toBe("alice");
    const expired = certificate(server.authority, "carol", [], -2 * dayMs);
    expect((await userOf(server.connect({ ...expired, token: "alice-token" }))).username).toBe("alice");
    const valid = certificate(server.authority, "carol", []);
    expect((await userOf(server.connect({ ...valid, token: "alice-token" }))).username).toBe("carol");
  });

  it("is rejected for a wrong token, which is not treated as anonymous", async () => {
    for (const token of ["wrong", "alice-token2", "alice-toke", "x".repeat(20_000)]) {
      expect((await server.connect({ token }).send("GET", "/readyz")).code, token).toBe(401);
    }
  });

  it("is anonymous without credentials, with access to health and version only", async () => {
    const client = server.connect({});
    const codes = ["/readyz", "/version", "/livez", "/api", "/apis", "/openapi/v3", configMaps].map(
      async (path) => (await client.send("GET", path)).code,
    );
    expect(await Promise.all(codes)).toEqual([200, 200, 200, 401, 401, 401, 401]);
  });

  it("can be impersonated by system:masters only", async () => {
    const headers = { "impersonate-user": "dave", "impersonate-group": ["team-a", "team-b"] };
    const { username, groups } = await userOf(admin, headers);
    expect({ username, groups }).toEqual({ username: "dave", groups: ["team-a", "team-b", "system:authenticated"] });
    expect((await admin.send("GET", configMaps, undefined, headers)).code).toBe(403);
    const alice = server.connect({ token: "alice-token" });
    const rejected = await alice.send("GET", "/version", undefined, headers);
    expect(rejected.code).toBe(403);
    expect(rejected.body.message).toContain('cannot impersonate resource "users"');
  });

  it("can be impersonated with an RBAC permission for that user", async () => {
    const rules = [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["erin"] }];
    await admin.send("POST", `/apis/${group}/v1/clusterroles`, { metadata: { name: "be-erin" }, rules });
    await bindAlice("be-erin");
    const alice = server.connect({ token: "alice-token" });
    expect((await userOf(alice, { "impersonate-user": "erin" })).username).toBe("erin");
    expect(await userOf(alice, { "impersonate-user": "frank" })).toBe(403);
    expect(await userOf(alice, { "impersonate-user": "erin", "impersonate-group": "system:masters" })).toBe(403);
  });

  const bindAlice = (role: string): Promise<HttpReply> =>
    admin.send("POST", `/apis/${group}/v1/clusterrolebindings`, {
      metadata: { name: `alice-${role}` },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: group, kind: "User", name: "alice" }],
    });

  it("is authorized for every request, also on the same connection", async () => {
    const alice = server.connect({ token: "alice-token" });
    const code = async (): Promise<number> => (await alice.send("GET", configMaps)).code;
    const role = `/apis/${group}/v1/clusterroles/see-maps`;
    const rule = (verbs: string[]) => ({
      metadata: { name: "see-maps" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
    });
    expect(await code()).toBe(403);
    await bindAlice("see-maps");
    expect(await code()).toBe(403);
    await admin.send("POST", `/apis/${group}/v1/clusterroles`, rule(["get", "list"]));
    expect(await code()).toBe(200);
    await admin.send("PATCH", role, { rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }] });
    expect(await code()).toBe(403);
    await admin.send("PATCH", role, { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] });
    expect(await code()).toBe(200);
    await admin.send("DELETE", `/apis/${group}/v1/clusterrolebindings/alice-see-maps`);
    expect(await code()).toBe(403);
  });
});
