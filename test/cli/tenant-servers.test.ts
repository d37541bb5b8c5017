// Members have kubeconfigs whose server is the path of a control plane.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { CliWorld, type Said } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";

const tenantApi = "apiVersion: resourcemanager.miloapis.com/v1alpha1";
const tenantPath = "/apis/resourcemanager.miloapis.com/v1alpha1";
const website = `${tenantPath}/projects/website/control-plane`;
const projects = resolve("examples/projects-per-organization");
const secrets = resolve("examples/secrets-per-project");
const threeSecrets = join(secrets, "try/three-secrets.yaml");
const project = (name: string, organization: string): string =>
  `${tenantApi}\nkind: Project\nmetadata: { name: ${name} }\nspec: { ownerRef: { kind: Organization, name: ${organization} } }\n`;

let world: CliWorld;
let hands: ClusterHands;
let alice = "";
const json = ({ out }: Said) => JSON.parse(out);

beforeAll(async () => {
  world = await CliWorld.build();
  await world.up();
  hands = new ClusterHands(world.kubeconfig);
  const files = [
    ...["1-registration", "2-grant-policy", "3-claim-policy", "4-organization"].map((name) => join(projects, name)),
    ...["1-registrations", "2-grant-policy", "3-claim-policies"].map((name) => join(secrets, name)),
  ].map((name) => `${name}.yaml`);
  for (const file of files) expect(await hands.create(file)).toEqual([]);
  for (const file of files.filter((name) => /polic/.test(name))) {
    for (const text of readFileSync(file, "utf8").split("---\n")) await hands.until(text, holds("Ready"));
  }
  await world.until(["usage", "-o", "json"], (said) => json(said).items[0]?.limit === 3);
  expect(await hands.create([project("website", "acme-corp"), project("shop", "acme-corp")].join("---\n"))).toEqual([]);
  for (const name of ["website", "shop"]) await hands.until(project(name, "acme-corp"), holds("Ready"));
  const isGranted = (said: Said): boolean => said.status === 0 && json(said).items.length === 2;
  await world.until(["usage", "--project", "website", "-o", "json"], isGranted);
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
  expect(await hands.create(member)).toEqual([]);
  await hands.until(member.split("---\n")[1] ?? "", holds("Ready"));
  alice = (await world.ask(["token", "create", "--user", "alice", "--expires", "1h"])).out.trim();
}, 120_000);

afterAll(async () => {
  await hands?.close();
  await world?.stop();
});

/** A kubeconfig whose server has a path; of the administrator, unless a token is given. */
function kubeconfigAt(path: string, { token, namespace }: { token?: string; namespace?: string } = {}): string {
  const config = parse(readFileSync(world.kubeconfig, "utf8"));
  config.clusters[0].cluster.server = `${world.url}${path}`;
  if (token !== undefined) config.users[0].user = { token };
  if (namespace !== undefined) config.contexts[0].context.namespace = namespace;
  return world.file(
    `kubeconfig-${path.replaceAll("/", "-")}-${token === undefined ? "admin" : "alice"}`,
    stringify(config),
  );
}

const asOrganization = (token?: string): string =>
  kubeconfigAt(`${tenantPath}/organizations/acme-corp/control-plane`, {
    ...(token === undefined ? {} : { token }),
    namespace: "organization-acme-corp",
  });

const at = (kubeconfig: string, ...args: string[]): Promise<Said> => world.run([...args, "--kubeconfig", kubeconfig]);

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
    it(`means the same as --project: ${name}`, async () => {
      const [byPath, byFlag] = [
        await at(kubeconfigAt(website), ...args),
        await world.ask([...args, ...(args.includes("--project") ? [] : ["--project", "website"])]),
      ];
      expect(byPath).toEqual(byFlag);
    });
  }

  it("is taken for no other project, and may end with a slash", async () => {
    const [other, slash] = await Promise.all([
      at(kubeconfigAt(website), "usage", "--project", "shop"),
      at(kubeconfigAt(`${website}/`), "usage"),
    ]);
    expect(other).toEqual({
      status: 2,
      out: "",
      err: "milo-quota: the server's URL is that of project website, and --project shop asks for another\nLeave the flag out, or choose another --context or --server.\n",
    });
    expect(slash).toMatchObject({ status: 0, out: expect.stringContaining("Project/website") });
  });

  it("tells of quota that policies of the root put on it", async () => {
    const said = await at(kubeconfigAt(website), "simulate-create", "-f", threeSecrets);
    expect(said.out).toContain("Secret/default/one-too-many: fits alone, but not beside those before it\n");
    expect(said.status).toBe(1);
    expect(await at(kubeconfigAt(website), "recount")).toMatchObject({
      status: 0,
      out: expect.stringContaining("every bucket says what they come to"),
    });
    expect((await at(kubeconfigAt(website), "doctor")).out).toContain("all 7 kinds are installed and current");
  });
});

describe("a kubeconfig for an organization", () => {
  it("shows its part, its projects with --all, and one of them", async () => {
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

  it("puts objects of files into the project's own namespace, not into that of the organization", async () => {
    const said = await world.run(
      ["simulate-create", "-f", "-", "--project", "website", "--kubeconfig", asOrganization(alice)],
      { input: "apiVersion: v1\nkind: Secret\nmetadata: { name: a }\n" },
    );
    expect(said).toEqual({ status: 0, err: "", out: "Secret/default/a: fits\n\nAll fit: 1 object.\n" });
  });

  it("is taken for no other organization", async () => {
    expect(await at(asOrganization(), "usage", "--organization", "beta")).toMatchObject({
      status: 2,
      err: expect.stringContaining("the server's URL is that of organization acme-corp, and --organization beta asks"),
    });
  });
});

describe("a tenant that is not there", () => {
  it("is named", async () => {
    expect(await world.ask(["usage", "--organization", "nope"])).toMatchObject({
      status: 5,
      err: "milo-quota: there is no control plane of organization nope\n",
    });
  });
});

describe("milo-quota explain", () => {
  const tooMany = `apiVersion: v1\nkind: Secret\nmetadata: { name: one-too-many, namespace: default }\n`;
  const because = "core/secrets: requested 1 secret, limit 2, allocated 2, reserved 0, available 0";
  const inProject = ["--project", "website"];

  it("finds what became of objects whose manifests leave out what the server fills in", async () => {
    expect(await hands.create(threeSecrets, website)).toHaveLength(1);
    const isTold = (said: Said): boolean => /was denied/.test(said.out);
    const { status, out } = await world.until(["explain", "-f", threeSecrets, ...inProject], isTold);
    expect([status, out]).toEqual([0, expect.stringContaining("  for       Secret/default/one-too-many\n")]);
    for (const name of ["one", "two"])
      expect(out).toContain(`  for       Secret/default/${name}\n  consumer  Project/website\n`);
  });

  it("shows the bucket of a project, its grants and who holds it, and says once what to do", async () => {
    await hands.create(tooMany, website);
    const isTold = (said: Said): boolean => /was denied, 2 times/.test(said.out);
    const { out } = await world.until(["explain", "Secret/default/one-too-many", ...inProject], isTold);
    expect(out).toContain(`  because   ${because}\n`);
    expect(out.match(/was denied/g)).toHaveLength(1);
    expect(out.match(/To make it fit/g)).toHaveLength(1);
    expect(out).toContain("core/secrets of Project/website: limit 2 secrets, allocated 2, reserved 0, available 0\n");
    expect(out).toMatch(/secrets-and-config-maps-\S+ +2 secrets +policy secrets-and-config-maps/);
    for (const name of ["one", "two"]) expect(out).toMatch(new RegExp(`Secret/default/${name} +1 secret`));
  });

  it("takes no denial in one project for that in another, and asks the server about what nobody knows", async () => {
    const [named, file] = await Promise.all([
      world.ask(["explain", "Secret/default/one-too-many", "--project", "shop"]),
      world.ask(["explain", "-f", threeSecrets, "--project", "shop"]),
    ]);
    expect(named).toMatchObject({ status: 5, err: expect.stringContaining("nothing is known of Secret/one-too-many") });
    expect([file.status, file.out]).toEqual([
      5,
      expect.stringContaining(
        "Secret/default/one: there is no claim for it and no Event of a denial; the server would let it in now\n",
      ),
    ]);
    const other = world.file("other.yaml", tooMany.replace("one-too-many", "another"));
    const refused = await world.ask(["explain", "-f", other, ...inProject]);
    expect([refused.status, refused.out]).toEqual([
      0,
      expect.stringContaining("but it would be refused now\n  because   "),
    ]);
    expect(refused.out).toContain("core/secrets of Project/website: limit 2 secrets");
  });

  it("tells members what they do not see", async () => {
    const said = await at(kubeconfigAt(website, { token: alice }), "explain", "Secret/default/nope");
    expect(said).toMatchObject({ status: 5, err: expect.stringContaining("You may not look into the root") });
  });
});

describe("whoever sees only a part", () => {
  const elsewhere = `apiVersion: quota.miloapis.com/v1alpha1
kind: ResourceGrant
metadata: { name: elsewhere, namespace: default }
spec: { consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Organization, name: acme-corp }, allowances: [{ resourceType: resourcemanager.miloapis.com/projects, buckets: [{ amount: 2 }] }] }
`;
  const projectAlone = (): string => kubeconfigAt(website, { token: alice });

  beforeAll(async () => {
    expect(await hands.create(elsewhere)).toEqual([]);
    const isCounted = (said: Said): boolean => json(said).items[0]?.limit === 5;
    await world.until(["usage", "--organization", "acme-corp", "-o", "json"], isCounted);
  });

  it("is told by recount what cannot be judged, and of no difference", async () => {
    const [part, own, program] = await Promise.all([
      at(asOrganization(alice), "recount"),
      at(asOrganization(alice), "recount", "--project", "website"),
      at(asOrganization(alice), "recount", "-o", "json"),
    ]);
    expect(part).toMatchObject({
      status: 4,
      err: "",
      out: expect.stringContaining("1 bucket counts more or less than is seen from here, and cannot be judged"),
    });
    expect(part.out).toContain("  Organization/acme-corp resourcemanager.miloapis.com/projects\n");
    expect(part.out).not.toContain("--fix");
    expect(json(program)).toMatchObject({ differing: 0, notJudged: [{ consumer: { name: "acme-corp" } }] });
    expect(own).toMatchObject({ status: 0, out: expect.stringContaining("every bucket says what they come to") });
  });

  it("is told that nothing can be added up without registrations", async () => {
    expect(await at(projectAlone(), "recount")).toEqual({
      status: 4,
      out: "",
      err: "milo-quota: nothing can be added up without registrations, which you may not read here\nMembers of an organization see them with --organization NAME.\n",
    });
  });

  it("is told by doctor what is not seen, and of nothing that is missing for that", async () => {
    const [organization, one, bare] = await Promise.all([
      at(asOrganization(alice), "doctor"),
      at(asOrganization(alice), "doctor", "--project", "website"),
      at(projectAlone(), "doctor"),
    ]);
    for (const { status, out } of [organization, one, bare]) {
      expect([status, out]).toEqual([0, expect.not.stringContaining("nobody is granted")]);
      expect(out).toContain("ok       admission      claims are checked when they are created\n");
      expect(out).toMatch(/\n0 problems, [34] warnings\.\n$/);
    }
    expect(organization.out).toContain("3 active, granted to whom is not seen from here\n");
    expect(bare.out).toContain("warning  registrations  you may not read all registrations: those are not looked at\n");
  });

  it("is told by simulate-create when it is not known whether all fit", async () => {
    const [policies, grants, alone] = await Promise.all([
      at(world.kubeconfig, "simulate-create", "-f", threeSecrets, "--project", "shop", "--token", alice),
      world.run(["simulate-create", "-f", "-", "--kubeconfig", asOrganization(alice)], {
        input: [project("a", "acme-corp"), project("b", "acme-corp")].join("---\n"),
      }),
      world.run(["simulate-create", "-f", "-", "-o", "json", "--kubeconfig", asOrganization(alice)], {
        input: project("a", "acme-corp"),
      }),
    ]);
    expect([policies.status, policies.out]).toEqual([
      4,
      expect.stringContaining("Each fits alone: 3 objects. Whether all do is not known.\n"),
    ]);
    expect(policies.err).toContain("You may not read the policies of the root");
    expect([grants.status, grants.out]).toEqual([4, expect.stringContaining("Project/b: fits alone\n")]);
    expect(grants.err).toContain('an organization does not see all that counts for Organization "acme-corp"');
    expect([alone.status, json(alone)]).toMatchObject([0, { fits: true, items: [{ together: null }] }]);
  });
});

describe("a feature", () => {
  it("is on or off, and nothing of it is used", async () => {
    const file = resolve("examples/feature-entitlement/feature.yaml");
    expect(await hands.create(file)).toEqual([]);
    const isOn = (said: Said): boolean => / on\n/.test(said.out);
    const { out } = await world.until(["usage", "--resource-type", "private-networking"], isOn);
    expect(out).toMatch(/^CONSUMER +RESOURCE TYPE +LIMIT\nOrganization\/acme-corp +\S+private-networking +on\n$/);
    const explained = await world.ask(["explain", "--resource-type", "private-networking"]);
    expect(explained.out).toContain("private-networking of Organization/acme-corp: on\n");
    expect(explained.out).not.toContain("No claim");
  });
});
