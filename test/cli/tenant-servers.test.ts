// Members have kubeconfigs whose server URL has the path of a control plane.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { CliTestEnv, type CommandResult } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";

const tenantApi = "apiVersion: resourcemanager.miloapis.com/v1alpha1";
const tenantPath = "/apis/resourcemanager.miloapis.com/v1alpha1";
const website = `${tenantPath}/projects/website/control-plane`;
const projects = resolve("examples/projects-per-organization");
const secrets = resolve("examples/secrets-per-project");
const threeSecrets = join(secrets, "try/three-secrets.yaml");
const project = (name: string, organization: string): string =>
  `${tenantApi}\nkind: Project\nmetadata: { name: ${name} }\nspec: { ownerRef: { kind: Organization, name: ${organization} } }\n`;

let env: CliTestEnv;
let client: ClusterClient;
let alice = "";
const json = ({ out }: CommandResult) => JSON.parse(out);

beforeAll(async () => {
  env = await CliTestEnv.build();
  await env.startServer();
  client = new ClusterClient(env.kubeconfig);
  const files = [
    ...["1-registration", "2-grant-policy", "3-claim-policy", "4-organization"].map((name) => join(projects, name)),
    ...["1-registrations", "2-grant-policy", "3-claim-policies"].map((name) => join(secrets, name)),
  ].map((name) => `${name}.yaml`);
  for (const file of files) expect(await client.create(file)).toEqual([]);
  for (const file of files.filter((name) => /polic/.test(name))) {
    for (const text of readFileSync(file, "utf8").split("---\n")) await client.waitUntil(text, hasCondition("Ready"));
  }
  await env.runUntil(["usage", "-o", "json"], (result) => json(result).items[0]?.limit === 3);
  expect(await client.create([project("website", "acme-corp"), project("shop", "acme-corp")].join("---\n"))).toEqual(
    [],
  );
  for (const name of ["website", "shop"]) await client.waitUntil(project(name, "acme-corp"), hasCondition("Ready"));
  const isGranted = (result: CommandResult): boolean => result.status === 0 && json(result).items.length === 2;
  await env.runUntil(["usage", "--project", "website", "-o", "json"], isGranted);
  const member = `apiVersion: iam.miloapis.com/v1alpha1
kind: User
metadata: { name: alice }
spec: { email: alice@example.com }
---
${tenantApi}
kind: OrganizationMembership
metadata: { name: alice, namespace: organization-acme-corp }
spec: { organizationRef: { name: acme-corp }, userRef: { name: alice }, roles: [admin] }
`;
  expect(await client.create(member)).toEqual([]);
  await client.waitUntil(member.split("---\n")[1] ?? "", hasCondition("Ready"));
  alice = (await env.runAsAdmin(["token", "create", "--user", "alice", "--expires", "1h"])).out.trim();
}, 120_000);

afterAll(async () => {
  await client?.close();
  await env?.stop();
});

/** A kubeconfig whose server URL has a path, with the administrator's credentials unless a token is given. */
function kubeconfigAt(path: string, { token, namespace }: { token?: string; namespace?: string } = {}): string {
  const config = parse(readFileSync(env.kubeconfig, "utf8"));
  config.clusters[0].cluster.server = `${env.url}${path}`;
  if (token !== undefined) config.users[0].user = { token };
  if (namespace !== undefined) config.contexts[0].context.namespace = namespace;
  return env.writeFile(
    `kubeconfig-${path.replaceAll("/", "-")}-${token === undefined ? "admin" : "alice"}`,
    stringify(config),
  );
}

const asOrganization = (token?: string): string =>
  kubeconfigAt(`${tenantPath}/organizations/acme-corp/control-plane`, {
    ...(token === undefined ? {} : { token }),
    namespace: "organization-acme-corp",
  });

const at = (kubeconfig: string, ...args: string[]): Promise<CommandResult> =>
  env.run([...args, "--kubeconfig", kubeconfig]);

describe("a kubeconfig for a project", () => {
  const commands: Record<string, string[]> = {
    usage: ["usage"],
    "usage, with the flag as well": ["usage", "--project", "website"],
    "simulate-create": ["simulate-create", "-f", threeSecrets],
    recount: ["recount"],
    doctor: ["doctor"],
    export: ["export"],
  };
  for (const [name, args] of Object.entries(commands)) {
    it(`is equivalent to --project: ${name}`, async () => {
      const [byPath, byFlag] = [
        await at(kubeconfigAt(website), ...args),
        await env.runAsAdmin([...args, ...(args.includes("--project") ? [] : ["--project", "website"])]),
      ];
      expect(byPath).toEqual(byFlag);
    });
  }

  it("conflicts with another --project, and may end with a slash", async () => {
    const [other, slash] = await Promise.all([
      at(kubeconfigAt(website), "usage", "--project", "shop"),
      at(kubeconfigAt(`${website}/`), "usage"),
    ]);
    expect(other).toEqual({
      status: 2,
      out: "",
      err: "milo-quota: the server URL selects project website, but --project selects shop\nOmit the flag, or use another --context or --server.\n",
    });
    expect(slash).toMatchObject({ status: 0, out: expect.stringContaining("Project/website") });
  });

  it("includes the policies of the root", async () => {
    const result = await at(kubeconfigAt(website), "simulate-create", "-f", threeSecrets);
    expect(result.out).toContain(
      "Secret/default/one-too-many: fits alone, but not together with the objects before it\n",
    );
    expect(result.status).toBe(1);
    expect(await at(kubeconfigAt(website), "recount")).toMatchObject({
      status: 0,
      out: expect.stringContaining("all buckets match"),
    });
    expect((await at(kubeconfigAt(website), "doctor")).out).toContain("all 7 CRDs are installed and up to date");
  });
});

describe("a kubeconfig for an organization", () => {
  it("shows its own quota, all its projects with --all, and a single project", async () => {
    const kubeconfig = asOrganization(alice);
    const [own, all, one] = await Promise.all([
      at(kubeconfig, "usage"),
      at(kubeconfig, "usage", "-A", "-o", "json"),
      at(kubeconfig, "usage", "--project", "website"),
    ]);
    expect(own).toMatchObject({ status: 0, err: "", out: expect.stringContaining("Organization/acme-corp") });
    const planes = json(all).items.map(({ plane }: { plane: string }) => plane);
    expect([all.status, new Set(planes)]).toEqual([0, new Set(["root", "project website", "project shop"])]);
    expect(one).toMatchObject({ status: 0, err: "", out: expect.stringContaining("2 secrets") });
  });

  it("does not use the organization's namespace for objects in a project", async () => {
    const result = await env.run(
      ["simulate-create", "-f", "-", "--project", "website", "--kubeconfig", asOrganization(alice)],
      { input: "apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n" },
    );
    expect(result).toEqual({ status: 0, err: "", out: "Secret/default/a: fits\n\n1 of 1 object would be created.\n" });
  });

  it("conflicts with another --organization", async () => {
    expect(await at(asOrganization(), "usage", "--organization", "beta")).toMatchObject({
      status: 2,
      err: expect.stringContaining("the server URL selects organization acme-corp, but --organization selects beta"),
    });
  });
});

describe("an unknown tenant", () => {
  it("is reported by name", async () => {
    expect(await env.runAsAdmin(["usage", "--organization", "nope"])).toMatchObject({
      status: 5,
      err: "milo-quota: control plane of organization nope not found\n",
    });
  });
});

describe("milo-quota explain", () => {
  const tooMany = `apiVersion: v1\nkind: Secret\nmetadata: { name: one-too-many, namespace: default }\n`;
  const reason = "core/secrets: requested 1 secret, limit 2, allocated 2, reserved 0, available 0";
  const inProject = ["--project", "website"];

  it("explains objects whose manifests lack the defaults of the server", async () => {
    expect(await client.create(threeSecrets, website)).toHaveLength(1);
    const hasDenial = (result: CommandResult): boolean => /was denied/.test(result.out);
    const { status, out } = await env.runUntil(["explain", "-f", threeSecrets, ...inProject], hasDenial);
    expect([status, out]).toEqual([0, expect.stringContaining("  object    Secret/default/one-too-many\n")]);
    for (const name of ["one", "two"])
      expect(out).toContain(`  object    Secret/default/${name}\n  consumer  Project/website\n`);
  });

  it("shows the bucket of a project with its grants and claims, and the advice once", async () => {
    await client.create(tooMany, website);
    const hasDenial = (result: CommandResult): boolean => /was denied 2 times, last at /.test(result.out);
    const { out } = await env.runUntil(["explain", "Secret/default/one-too-many", ...inProject], hasDenial);
    expect(out).toContain(`  reason    ${reason}\n`);
    expect(out.match(/was denied/g)).toHaveLength(1);
    expect(out.match(/To free quota/g)).toHaveLength(1);
    expect(out).toContain("core/secrets of Project/website: limit 2 secrets, allocated 2, reserved 0, available 0\n");
    expect(out).toMatch(/secrets-and-config-maps-\S+ +2 secrets +policy secrets-and-config-maps/);
    for (const name of ["one", "two"]) expect(out).toMatch(new RegExp(`Secret/default/${name} +1 secret`));
  });

  it("distinguishes the denials of different projects, and tries unknown objects with a dry run", async () => {
    const [named, file] = await Promise.all([
      env.runAsAdmin(["explain", "Secret/default/one-too-many", "--project", "shop"]),
      env.runAsAdmin(["explain", "-f", threeSecrets, "--project", "shop"]),
    ]);
    expect(named).toMatchObject({
      status: 5,
      err: expect.stringContaining("denial Event found for Secret/default/one-too-many\n"),
    });
    expect([file.status, file.out]).toEqual([
      5,
      expect.stringContaining(
        "Secret/default/one: no claim and no denial Event found; the server would admit it now\n",
      ),
    ]);
    const other = env.writeFile("other.yaml", tooMany.replace("one-too-many", "another"));
    const rejected = await env.runAsAdmin(["explain", "-f", other, ...inProject]);
    expect([rejected.status, rejected.out]).toEqual([
      0,
      expect.stringContaining("but the server would reject it now\n  reason    "),
    ]);
    expect(rejected.out).toContain("core/secrets of Project/website: limit 2 secrets");
  });

  it("reports to members that they lack permission to read the root", async () => {
    const result = await at(kubeconfigAt(website, { token: alice }), "explain", "Secret/default/nope");
    expect(result).toMatchObject({
      status: 5,
      err: expect.stringContaining("You lack permission to read the root control plane"),
    });
  });
});

describe("for a user with a partial view", () => {
  const elsewhere = `apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceGrant
metadata: { name: elsewhere, namespace: default }
spec: { consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp }, allowances: [{ resourceType: resourcemanager.miloapis.com/projects, buckets: [{ amount: 2 }] }] }
`;
  const projectAlone = (): string => kubeconfigAt(website, { token: alice });

  beforeAll(async () => {
    expect(await client.create(elsewhere)).toEqual([]);
    const isCounted = (result: CommandResult): boolean => json(result).items[0]?.limit === 5;
    await env.runUntil(["usage", "--organization", "acme-corp", "-o", "json"], isCounted);
  });

  it("recount reports buckets that cannot be verified, and no differences", async () => {
    const [part, own, program] = await Promise.all([
      at(asOrganization(alice), "recount"),
      at(asOrganization(alice), "recount", "--project", "website"),
      at(asOrganization(alice), "recount", "-o", "json"),
    ]);
    expect(part).toMatchObject({
      status: 4,
      err: "",
      out: expect.stringContaining(
        "1 bucket cannot be verified, because an organization sees only grants and claims in its own namespace:\n",
      ),
    });
    expect(part.out).toContain("  Organization/acme-corp resourcemanager.miloapis.com/projects\n");
    expect(part.out).not.toContain("--fix");
    expect(json(program)).toMatchObject({ differing: 0, unverified: [{ consumer: { name: "acme-corp" } }] });
    expect(own).toMatchObject({ status: 0, out: expect.stringContaining("all buckets match") });
  });

  it("recount fails without permission to read registrations", async () => {
    expect(await at(projectAlone(), "recount")).toEqual({
      status: 4,
      out: "",
      err: "milo-quota: recount needs the registrations, which you lack permission to read\nMembers of an organization can read them with --organization NAME.\n",
    });
  });

  it("doctor names checks without permission, and reports no missing grants", async () => {
    const [organization, one, bare] = await Promise.all([
      at(asOrganization(alice), "doctor"),
      at(asOrganization(alice), "doctor", "--project", "website"),
      at(projectAlone(), "doctor"),
    ]);
    for (const { status, out } of [organization, one, bare]) {
      expect([status, out]).toEqual([0, expect.not.stringContaining("no grant for")]);
      expect(out).toContain("ok       admission      claims are validated when they are created\n");
      expect(out).toMatch(/\n0 problems, [34] warnings\.\n$/);
    }
    expect(organization.out).toContain("3 active, not checked for grants, because you cannot see all of them\n");
    expect(bare.out).toContain(
      "warning  registrations  you lack permission to list some registrations, which were not checked\n",
    );
  });

  it("simulate-create reports that it is unknown whether the objects fit together", async () => {
    const [policies, grants, alone] = await Promise.all([
      at(env.kubeconfig, "simulate-create", "-f", threeSecrets, "--project", "shop", "--token", alice),
      env.run(["simulate-create", "-f", "-", "--kubeconfig", asOrganization(alice)], {
        input: [project("a", "acme-corp"), project("b", "acme-corp")].join("---\n"),
      }),
      env.run(["simulate-create", "-f", "-", "-o", "json", "--kubeconfig", asOrganization(alice)], {
        input: project("a", "acme-corp"),
      }),
    ]);
    expect([policies.status, policies.out]).toEqual([
      4,
      expect.stringContaining("3 objects fit alone. Whether they fit together is unknown.\n"),
    ]);
    expect(policies.err).toContain("you lack permission to read the policies of the root control");
    expect([grants.status, grants.out]).toEqual([4, expect.stringContaining("Project/b: fits alone\n")]);
    expect(grants.err).toContain(
      'not all grants and claims of Organization "acme-corp" are visible to the organization',
    );
    expect([alone.status, json(alone)]).toMatchObject([0, { fits: true, items: [{ together: null }] }]);
  });
});

describe("a feature", () => {
  it("is on or off, and has no usage", async () => {
    const file = resolve("examples/feature-entitlement/feature.yaml");
    expect(await client.create(file)).toEqual([]);
    const isOn = (result: CommandResult): boolean => / on\n/.test(result.out);
    const { out } = await env.runUntil(["usage", "--resource-type", "private-networking"], isOn);
    expect(out).toMatch(/^CONSUMER +RESOURCE TYPE +LIMIT\nOrganization\/acme-corp +\S+private-networking +on\n$/);
    const explained = await env.runAsAdmin(["explain", "--resource-type", "private-networking"]);
    expect(explained.out).toContain("private-networking of Organization/acme-corp: on\n");
    expect(explained.out).not.toContain("No claim");
  });
});
