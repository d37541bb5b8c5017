import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { tokenTable } from "@milo-quota/apiserver/http/access/authentication/token-table.ts";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { type Listening, listen } from "@milo-quota/apiserver/http/node-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { tenantLayout } from "@milo-quota/quota/tenancy/plane-layout.ts";
import { tenancyKinds } from "@milo-quota/quota/tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "@milo-quota/quota/tenancy/tenancy.ts";
import { issueUserToken } from "@milo-quota/quota/tenancy/user-token.ts";
import { organizationPath, projectPath } from "@milo-quota/quota/views/tenant-planes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { users } from "../apiserver/test-users.ts";
import { Kubectl } from "../kubectl/kubectl.ts";
import { program } from "../kubectl/kubectl-suite.ts";

const guide = readFileSync("docs/guides/tenants.md", "utf8");
const manifests = [...guide.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text).join("---\n");

describe.skipIf(!program.found)("kubectl and tenants", () => {
  const faults: unknown[] = [];
  let server: EmbeddedServer;
  let tenancy: Tenancy;
  let listening: Listening;
  let admin: Kubectl;
  let inDelta: Kubectl;
  let inWebsite: Kubectl;

  beforeAll(async () => {
    const lifetime = { nowMs: systemClock.now(), lifetimeMs: 86_400_000 };
    const authority = createAuthority("test", lifetime);
    const names = { commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
    const { certificatePem, privateKeyPem } = issueServerCertificate(authority, names, lifetime);
    server = await startEmbedded({
      log: new MemoryLog(),
      clock: systemClock,
      definitionsFrom: tenantLayout.definitionsFrom,
      tokens: [tokenTable([{ token: "admin", user: users.admin }])],
      report: (error) => faults.push(error),
    });
    tenancy = new Tenancy({
      client: new KubeClient(directTransport((request) => server.api.handle(request), users.admin)),
      planes: { open: server.openPlane, close: server.closePlane },
      clock: systemClock,
      random: { fraction: Math.random },
      report: () => undefined,
    });
    const { guard, authorizer, tokens, resolvePlane } = tenancy;
    server.extend({ plugins: [guard], authorizers: [authorizer], tokens: [tokens], resolvePlane });
    listening = await listen(server.api, {
      host: "127.0.0.1",
      port: 0,
      key: privateKeyPem,
      certificate: certificatePem,
      clientAuthority: authority.certificatePem,
    });
    tenancy.start();
    const url = `https://127.0.0.1:${listening.port}`;
    const alice = issueUserToken({ user: "alice" }, randomBytes);
    const of = (path: string, token: string): Kubectl =>
      new Kubectl(program.found ? program.path : "", { url: `${url}${path}`, ca: authority.certificatePem, token });
    admin = of("", "admin");
    inDelta = of(organizationPath("delta-corp"), alice.token);
    inWebsite = of(projectPath("website"), alice.token);
    const definitions = tenancyKinds.map((kind) => JSON.stringify(crdOf(kind)));
    await admin.run("apply -f -", { stdin: definitions.join("\n---\n") });
    await admin.run("wait crd --all --for=condition=Established");
    await admin.run("create namespace milo-system");
    await admin.run("create -f -", { stdin: JSON.stringify(alice.secret) });
    await tenancy.ready;
  }, 120_000);

  afterAll(async () => {
    for (const kubectl of [admin, inDelta, inWebsite]) await kubectl?.close();
    await tenancy?.stop();
    await listening?.stop();
    await server?.stop();
    expect(faults).toEqual([]);
  });

  it("creates the tenants of the guide and waits until they are ready", async () => {
    const [first = "", ...others] = manifests.split(/^---\n/m);
    await admin.run("apply -f -", { stdin: first });
    await admin.run("wait organization/delta-corp --for=condition=Ready");
    expect((await admin.run("apply -f -", { stdin: others.join("---\n") })).code).toBe(0);
    expect((await admin.run("wait project/website --for=condition=Ready")).code).toBe(0);
    expect((await admin.run("wait orgmember/alice -n organization-delta-corp --for=condition=Ready")).code).toBe(0);
    expect((await admin.run("apply -f -", { stdin: manifests })).out.match(/unchanged/g)).toHaveLength(4);
  }, 60_000);

  it("shows a member only their organization", async () => {
    expect((await inDelta.run("get organizations,projects,namespaces -o name")).out.split("\n").sort()).toEqual([
      "",
      "namespace/organization-delta-corp",
      "organization.resourcemanager.miloapis.com/delta-corp",
      "project.resourcemanager.miloapis.com/website",
    ]);
    const stdin = JSON.stringify({
      apiVersion: "resourcemanager.miloapis.com/v1alpha1",
      kind: "Project",
      metadata: { name: "second" },
      spec: { type: "application" },
    });
    expect((await inDelta.run("apply -f -", { stdin })).out).toContain("created");
    expect((await inDelta.run("wait project/second --for=condition=Ready")).code).toBe(0);
    expect((await inDelta.run("get project second -o jsonpath={.spec.ownerRef.name}")).out).toBe("delta-corp");
    expect((await inDelta.run("auth can-i create projects")).out).toBe("yes\n");
    expect((await inDelta.run("auth can-i list secrets")).out).toMatch(/^no/);
    expect((await inDelta.run("get users")).err).toContain("Forbidden");
  }, 60_000);

  it("works in a project as in a cluster", async () => {
    expect((await inWebsite.run("create configmap mine --from-literal=a=b")).code).toBe(0);
    expect((await inWebsite.run("get configmap mine -o jsonpath={.data.a}")).out).toBe("b");
    expect(
      (await inWebsite.run("create clusterrolebinding me --clusterrole=cluster-admin --user=alice")).err,
    ).toContain('role "admin" of Organization "delta-corp" does not allow it');
  }, 60_000);

  it("waits until an organization is deleted with all its objects", async () => {
    expect((await admin.run("delete organization delta-corp --timeout=30s")).code).toBe(0);
    expect((await admin.run("get projects -o name")).out).toBe("");
    expect((await admin.run("get namespace organization-delta-corp")).err).toContain("NotFound");
    expect((await inWebsite.run("get --raw /api/v1/namespaces")).code).toBe(1);
  }, 60_000);
});
