import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { CliTestEnv, type CommandResult } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";

const example = resolve("examples/projects-per-organization");
const projects = "resourcemanager.miloapis.com/projects";
const webPlane = "/apis/resourcemanager.miloapis.com/v1alpha1/projects/web/control-plane";
let env: CliTestEnv;
let client: ClusterClient;

const registration = (name: string, spec: string): string =>
  `apiVersion: quota.miloapis.com/v1alpha1\nkind: ResourceRegistration\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const storage = registration(
  "storage",
  "{ resourceType: test/storage, type: Allocation, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: byte, displayUnit: GiB, unitConversionFactor: 1073741824, dimensions: [location] }",
);
const secretsOfProject = registration(
  "secrets",
  "{ resourceType: test/secrets, type: Entity, consumerType: { apiGroup: resourcemanager.miloapis.com, kind: Project }, baseUnit: secret }",
);
const grant = (name: string, namespace: string, spec: string): string =>
  `apiVersion: quota.miloapis.com/v1alpha1\nkind: ResourceGrant\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`;
const claim = (name: string, amount: string, location = "DFW"): string =>
  `apiVersion: quota.miloapis.com/v1alpha1\nkind: ResourceClaim\nmetadata: { name: ${name}, namespace: team }\nspec: { consumerRef: { kind: Namespace, name: team }, requests: [{ resourceType: test/storage, amount: ${amount}, dimensions: { location: ${location} } }] }\n`;
const bucket = (name: string, namespace: string): string =>
  `apiVersion: quota.miloapis.com/v1alpha1\nkind: AllowanceBucket\nmetadata: { name: ${name}, namespace: ${namespace} }\n`;

const beta = "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Organization\nmetadata: { name: beta }\n";

const json = ({ out }: CommandResult) => JSON.parse(out);

beforeAll(async () => {
  env = await CliTestEnv.build();
  await env.startServer();
  client = new ClusterClient(env.kubeconfig);
  for (const name of ["1-registration", "2-grant-policy", "3-claim-policy", "4-organization"]) {
    expect(await client.create(join(example, `${name}.yaml`))).toEqual([]);
  }
  for (const name of ["2-grant-policy", "3-claim-policy"]) {
    await client.waitUntil(readFileSync(join(example, `${name}.yaml`), "utf8"), hasCondition("Ready"));
  }
  await env.runUntil(["usage", "-o", "json"], (result) => json(result).items[0]?.limit === 3);
  expect(await client.create(join(example, "try/four-projects.yaml"))).toHaveLength(1);
  for (const text of [storage, secretsOfProject]) {
    await client.create(text);
    await client.waitUntil(text, hasCondition("Active"));
  }
  await client.create("apiVersion: v1\nkind: Namespace\nmetadata: { name: team }\n");
  const gib = 1_073_741_824;
  const given = `{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/storage, buckets: [{ amount: ${8 * gib} }, { amount: ${2 * gib}, dimensionSelector: { matchLabels: { location: DFW } } }] }] }`;
  await client.create(grant("storage", "team", given));
  await client.waitUntil(grant("storage", "team", given), hasCondition("Active"));
  for (const [name, size] of [
    ["small", gib],
    ["large", 4 * gib],
  ] as const) {
    await client.create(claim(name, String(size)));
    await client.waitUntil(claim(name, "1"), hasCondition("Granted"));
  }
  await client.waitUntil(
    "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: { name: web }\n",
    hasCondition("Ready"),
  );
  const webGrant = grant(
    "secrets",
    "milo-system",
    "{ consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: web }, allowances: [{ resourceType: test/secrets, buckets: [{ amount: 5 }] }] }",
  );
  expect(await client.create(webGrant, webPlane)).toEqual([]);
  await client.waitUntil(webGrant, hasCondition("Active"), webPlane);
  const isSettled = (result: CommandResult): boolean =>
    json(result).items.length === 4 && json(result).items.every(({ reserved }: { reserved: number }) => reserved === 0);
  await env.runUntil(["usage", "--all", "-o", "json"], isSettled);
}, 120_000);

afterAll(async () => {
  await client?.close();
  await env?.stop();
});

describe("milo-quota usage", () => {
  it("shows limits and usage in display units", async () => {
    const { status, out, err } = await env.runAsAdmin(["usage"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out.replaceAll(/ {2,}/g, "  ").split("\n")).toEqual([
      "CONSUMER  RESOURCE TYPE  DIMENSIONS  LIMIT  ALLOCATED  RESERVED  AVAILABLE  USED",
      "Namespace/team  test/storage  10 GiB  5 GiB  0 GiB  5 GiB  #####-----  50%",
      "  location=DFW  10 GiB  5 GiB  0 GiB  5 GiB  #####-----  50%",
      `Organization/acme-corp  ${projects}  3 projects  3  0  0  ########## 100%`,
      "",
      "Rows with dimensions are included in the row above them and share its grants: do not add them up.",
      "AVAILABLE is what remains after the allocations of all rows that share a grant.",
      "",
    ]);
  });

  it("has base units in JSON", async () => {
    const result = await env.runAsAdmin(["usage", "--consumer", "namespace/team", "-o", "json"]);
    expect(json(result).items[0]).toMatchObject({
      plane: "root",
      consumer: { apiGroup: "", kind: "Namespace", namespace: "", name: "team" },
      resourceType: "test/storage",
      dimensions: {},
      limit: 10_737_418_240,
      allocated: 5_368_709_120,
      reserved: 0,
      available: 5_368_709_120,
      usedPercent: 50,
      unit: { base: "byte", display: "GiB", factor: 1_073_741_824 },
      bucket: { namespace: "team" },
    });
    expect(
      parse((await env.runAsAdmin(["usage", "--resource-type", "projects", "-o", "yaml"])).out).items,
    ).toHaveLength(1);
  });

  it("includes the control planes of projects with --all", async () => {
    const one = await env.runAsAdmin(["usage", "--project", "web"]);
    expect(one.out).toContain("Project/web   test/secrets    5 secrets");
    const all = await env.runAsAdmin(["usage", "--all", "-o", "json"]);
    expect(new Set(json(all).items.map(({ plane }: { plane: string }) => plane))).toEqual(
      new Set(["root", "project web"]),
    );
    expect((await env.runAsAdmin(["usage", "--all"])).out).toMatch(/^PLANE .*\nroot .*[\s\S]*\nproject web /);
  });

  it("shows the view of an organization", async () => {
    const result = await env.runAsAdmin(["usage", "--organization", "acme-corp", "-o", "json"]);
    expect(json(result).items.map(({ consumer }: { consumer: { name: string } }) => consumer.name)).toEqual([
      "acme-corp",
    ]);
  });

  const empty: Record<string, string[]> = {
    "an unknown type": ["--resource-type", "nothing"],
    "a namespace without buckets": ["-n", "default"],
  };
  for (const [name, args] of Object.entries(empty)) {
    it(`reports that no quota was found: ${name}`, async () => {
      expect(await env.runAsAdmin(["usage", ...args])).toMatchObject({
        status: 0,
        out: "No matching quota found.\n",
      });
      expect(json(await env.runAsAdmin(["usage", ...args, "-o", "json"]))).toEqual({ items: [] });
    });
  }
});

describe("milo-quota usage of a consumer without quota", () => {
  const wrong: Record<string, [args: string[], err: string]> = {
    "of any type": [
      [],
      "no quota is granted to or used by Organization/nope\nCheck the name. --all includes the control planes of projects.\n",
    ],
    "of one type in all control planes": [
      ["--all", "--resource-type", "projects", "-o", "json"],
      "no quota for projects is granted to or used by Organization/nope\nCheck the name.\n",
    ],
  };
  for (const [name, [args, err]] of Object.entries(wrong)) {
    it(`exits with 5: ${name}`, async () => {
      const result = await env.runAsAdmin(["usage", "--consumer", "Organization/nope", ...args]);
      expect(result).toEqual({ status: 5, out: "", err: `milo-quota: ${err}` });
    });
  }
});

describe("milo-quota explain", () => {
  const reason = `${projects}: requested 1 project, limit 3, allocated 3, reserved 0, available 0`;

  it("explains the denial of an object whose claim is deleted, and who uses the quota", async () => {
    const { status, out } = await env.runUntil(["explain", "Project/one-too-many"], (result) => result.status === 0);
    expect(status).toBe(0);
    expect(out).toMatch(/ was denied at \S+ and has been deleted\n {2}object {4}Project\/one-too-many\n/);
    expect(out).toContain(`reason    ${reason}`);
    expect(out).toContain("or raise the limit. Then retry the request.\n");
    expect(out).toContain(
      `${projects} of Organization/acme-corp: limit 3 projects, allocated 3, reserved 0, available 0`,
    );
    expect(out).toMatch(/\/three-projects-\S+ +3 projects +policy three-projects/);
    for (const name of ["web", "shop", "blog"]) expect(out).toMatch(new RegExp(`Project/${name} +1 project`));
  });

  it("finds the denial by the manifest, and by the name of the claim", async () => {
    const file = env.writeFile(
      "too-many.yaml",
      parseAllDocuments(readFileSync(join(example, "try/four-projects.yaml"), "utf8"))[3]?.toString() ?? "",
    );
    const [denied, ...others] = json(await env.runAsAdmin(["explain", "-f", file, "-o", "json"])).claims;
    expect(others).toEqual([]);
    expect(denied).toMatchObject({ answer: "denied", gone: true, message: reason });
    const byName = json(await env.runAsAdmin(["explain", denied.claim.name, "-o", "json"]));
    expect(byName.claims).toMatchObject([{ gone: true, message: reason }]);
  });

  it("distinguishes the denials of different objects", async () => {
    const result = await env.runAsAdmin(["explain", "Project/another"]);
    expect(result).toMatchObject({
      status: 5,
      out: "",
      err: expect.stringContaining("no claim or denial Event found for Project/another\n"),
    });
  });

  it("names an unknown object as it was given", async () => {
    const [inName, inFlag] = await Promise.all([
      env.runAsAdmin(["explain", "Deployment.apps/team/another"]),
      env.runAsAdmin(["explain", "Deployment/another", "-n", "team"]),
    ]);
    expect(inName.err).toContain("no claim or denial Event found for Deployment.apps/team/another\n");
    expect(inFlag.err).toContain("no claim or denial Event found for Deployment/another in namespace team\n");
  });

  it("explains a granted claim", async () => {
    const { out } = await env.runAsAdmin(["explain", "Project/web"]);
    expect(out).toContain("outcome   granted: the quota is allocated until the claim is deleted");
    expect(json(await env.runAsAdmin(["explain", "claim/large", "-o", "json"])).claims).toMatchObject([
      { answer: "granted", gone: false, requests: [{ resourceType: "test/storage", amount: 4_294_967_296 }] },
    ]);
  });

  it("explains a denied claim that was created manually", async () => {
    await client.create(claim("huge", "107374182400", "ORD"));
    const { out } = await env.runUntil(["explain", "huge", "-n", "team"], (result) => /denied:/.test(result.out));
    expect(out).toContain("requests  100 GiB of test/storage in location=ORD\n");
    expect(out).toContain(
      "reason    QuotaExceeded: test/storage (location=ORD): requested 100 GiB, limit 8 GiB, allocated 0 GiB",
    );
    await client.delete(claim("huge", "1"));
  });

  it("shows the grants and claims of a bucket, largest claim first", async () => {
    const result = await env.runAsAdmin(["explain", "--consumer", "Namespace/team", "-o", "json"]);
    const { buckets } = json(result);
    expect(buckets[0].grants).toEqual([{ name: "team/storage", amount: 10_737_418_240 }]);
    expect(buckets[0].claims.map(({ name }: { name: string }) => name)).toEqual(["team/large", "team/small"]);
    const { name } = buckets[0].bucket;
    expect((await env.runAsAdmin(["explain", `bucket/${name}`])).out).toMatch(/team\/large +none +4 GiB/);
  });

  const wrong: Record<string, [args: string[], status: number, message: RegExp]> = {
    "nothing to explain": [[], 2, /nothing to explain: specify a claim/],
    "an unknown claim": [["nope"], 5, /no claim, bucket or denial Event found for nope\n/],
    "an unknown bucket": [["bucket/nope"], 5, /bucket not found/],
    "an invalid object": [["a/b/c/d"], 2, /must be Kind\/name, such as Organization\/acme-corp/],
    "a missing file": [["-f", "nowhere.yaml"], 2, /cannot read nowhere.yaml/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await env.runAsAdmin(["explain", ...args])).toMatchObject({ status, err: expect.stringMatching(message) });
    });
  }
});

describe("milo-quota simulate-create", () => {
  const project = (name: string, organization: string): string =>
    `apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: { name: ${name} }\nspec: { ownerRef: { kind: Organization, name: ${organization} } }\n`;
  it("checks objects alone and together, and creates nothing", async () => {
    await client.create(beta);
    const isGranted = (result: CommandResult): boolean => json(result).items[0]?.limit === 3;
    await env.runUntil(["usage", "--consumer", "Organization/beta", "-o", "json"], isGranted);
    const input = ["a", "b", "c", "d"].map((name) => project(name, "beta")).join("---\n");
    const result = await env.runAsAdmin(["simulate-create", "-f", "-"], { input });
    expect(result).toEqual({
      status: 1,
      err: "",
      out: `Project/a: fits
Project/b: fits
Project/c: fits
Project/d: fits alone, but not together with the objects before it
    Organization "beta": ${projects}: requested 1 project, limit 3, allocated 3, reserved 0, available 0

3 of 4 objects would be created.
`,
    });
    const again = await env.runAsAdmin(["simulate-create", "-f", "-", "-o", "json"], { input: project("a", "beta") });
    expect([again.status, json(again)]).toEqual([
      0,
      {
        fits: true,
        items: [
          {
            object: "Project/a",
            alone: { verdict: "fits" },
            together: { fits: true, shortages: [] },
            claims: [expect.objectContaining({ policy: "one-project", mode: "Enforce" })],
            problems: [],
          },
        ],
      },
    ]);
    const after = await env.runAsAdmin(["usage", "--consumer", "Organization/beta", "-o", "json"]);
    expect(json(after).items[0]).toMatchObject({ allocated: 0, reserved: 0 });
  });

  it("distinguishes rejected, existing, invalid and ungoverned objects", async () => {
    const input = [
      project("web", "acme-corp"),
      project("more", "acme-corp"),
      project("Bad_Name", "acme-corp"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: free }\n",
    ].join("---\n");
    const { status, out } = await env.runAsAdmin(["simulate-create", "-f", "-"], { input });
    expect(status).toBe(1);
    expect(out).toContain(
      'Project/web: already exists\n    projects.resourcemanager.miloapis.com "web" already exists\n',
    );
    expect(out).toContain(
      'Project/more: does not fit\n    projects.resourcemanager.miloapis.com "more" is forbidden: Insufficient quota ',
    );
    expect(out).toContain("Project/Bad_Name: cannot be created\n");
    expect(out).toContain("ConfigMap/default/free: fits (no quota applies)\n");
    expect(out).toContain("1 of 4 objects would be created.\n");
  });

  it("evaluates policies for objects with the defaults of the server", async () => {
    const cpu = registration(
      "cpu",
      "{ resourceType: test/cpu, type: Allocation, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: millicore, claimingResources: [{ apiGroup: '', kind: Pod }] }",
    );
    const policy = `apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: cpu }
spec:
  trigger: { resource: { apiVersion: v1, kind: Pod } }
  target:
    resourceClaimTemplate:
      spec:
        consumerRef: { kind: Namespace, name: "{{ trigger.metadata.namespace }}" }
        requests: [{ resourceType: test/cpu, amountExpression: "trigger.spec.containers.map(c, has(c.resources.requests) ? 1 : 0).sum()" }]
`;
    await client.create([cpu, policy].join("---\n"));
    await client.waitUntil(policy, hasCondition("Ready"));
    const pod = (name: string, more: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, namespace: team }\nspec: { containers: [{ name: a, image: b${more} }] }\n`;
    const input = [pod("free", ""), pod("asks", ", resources: { requests: { cpu: 1 } }")].join("---\n");
    const result = await env.runAsAdmin(["simulate-create", "-f", "-", "-o", "json"], { input });
    expect(json(result).items).toMatchObject([
      { alone: { verdict: "fits" }, claims: [], problems: [], together: { fits: true } },
      { alone: { verdict: "does not fit" }, claims: [{ policy: "cpu" }], problems: [] },
    ]);
    expect(await client.create(pod("asks", ", resources: { requests: { cpu: 1 } }"))).toHaveLength(1);
    const explained = await env.runUntil(["explain", "Pod/team/asks"], ({ status }) => status === 0);
    expect(explained.out).toMatch(/was denied.*\n {2}object {4}Pod\/team\/asks\n {2}reason {4}test\/cpu: requested 1/);
    for (const each of [policy, cpu]) await client.delete(each);
  });

  it("decides all requests of an object together, because they may share a grant", async () => {
    const seats = registration(
      "seats",
      "{ resourceType: test/seats, type: Allocation, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: seat, dimensions: [place], claimingResources: [{ apiGroup: '', kind: ConfigMap }] }",
    );
    const policy = `apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: seats }
spec:
  trigger: { resource: { apiVersion: v1, kind: ConfigMap }, constraints: [{ expression: "has(trigger.data.each)" }] }
  target:
    resourceClaimTemplate:
      spec:
        consumerRef: { kind: Namespace, name: team }
        requests:
          - { resourceType: test/seats, amountExpression: int(trigger.data.each), dimensions: { place: a } }
          - { resourceType: test/seats, amountExpression: int(trigger.data.each), dimensions: { place: b } }
`;
    const given = grant(
      "seats",
      "team",
      "{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/seats, buckets: [{ amount: 5 }] }] }",
    );
    await client.create([seats, policy, given].join("---\n"));
    await client.waitUntil(policy, hasCondition("Ready"));
    await client.waitUntil(given, hasCondition("Active"));
    const map = (name: string, each: number): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: team }\ndata: { each: "${each}" }\n`;
    const input = [map("large", 3), map("one", 2), map("other", 1)].join("---\n");
    const isGranted = (result: CommandResult): boolean => result.out.includes("test/seats");
    await env.runUntil(["usage", "--consumer", "Namespace/team"], isGranted);
    const { status, out } = await env.runAsAdmin(["simulate-create", "-f", "-"], { input });
    expect(status).toBe(1);
    expect(out).toContain(
      'ConfigMap/team/large: does not fit\n    configmaps "large" is forbidden: Insufficient quota resources available: ',
    );
    expect(out).toContain(
      'test/seats (place=b) for Namespace "team": requested 3 seats, limit 5, allocated 0, reserved 0, available 2 (3',
    );
    expect(out).toContain("ConfigMap/team/one: fits\n");
    expect(out).toContain(`ConfigMap/team/other: fits alone, but not together with the objects before it
    Namespace "team": test/seats (place=b): requested 1 seat, limit 5, allocated 2, reserved 0, available 0 (3`);
    for (const each of [policy, given, seats]) await client.delete(each);
  });

  it("reports kinds that the server does not serve", async () => {
    const result = await env.runAsAdmin(["simulate-create", "-f", "-"], {
      input: "apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: x }\n",
    });
    expect(result).toEqual({
      status: 5,
      out: "",
      err: "milo-quota: the server does not serve kind Thing in example.com/v1\nInstall its CRD first, or correct apiVersion and kind.\n",
    });
  });

  it("rejects documents that are not objects", async () => {
    expect(await env.runAsAdmin(["simulate-create", "-f", "-"], { input: "a: 1\n" })).toMatchObject({
      status: 2,
      err: expect.stringContaining("document 1 of - is not an object"),
    });
    expect(await env.runAsAdmin(["simulate-create", "-f", "-"])).toMatchObject({ status: 2 });
    expect(await env.runAsAdmin(["simulate-create"])).toMatchObject({ status: 2 });
  });
});

describe("milo-quota recount", () => {
  it("finds no differences", async () => {
    const { status, out } = await env.runAsAdmin(["recount"]);
    expect(out).toMatch(/^Recomputed the usage of [0-9]+ consumers: all buckets match\.\n$/);
    expect(status).toBe(0);
  });

  it("cannot find wrong values, because only the quota system can write buckets", async () => {
    const usage = await env.runAsAdmin(["usage", "--consumer", "Organization/acme-corp", "-o", "json"]);
    const { namespace, name } = json(usage).items[0].bucket;
    const written = client.patchStatus(bucket(name, namespace), { allocated: 1, available: 2 });
    await expect(written).rejects.toThrow("only the quota system writes it, from grants and claims");
    expect((await env.runAsAdmin(["recount"])).status).toBe(0);
  });
});

describe("milo-quota doctor", () => {
  it("exits with 0 if there are only warnings", async () => {
    const { status, out } = await env.runAsAdmin(["doctor"]);
    expect(out).toMatch(/^ok {7}definitions {4}all 7 CRDs are installed and up to date\nok {7}admission /);
    expect(out).toContain("controllers    run in the process of the API server");
    expect(status).toBe(0);
  });

  it("finds invalid policies, and types without a registration or a grant, with advice", async () => {
    const ungranted = registration(
      "ungranted",
      "{ resourceType: test/ungranted, type: Entity, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: thing }",
    );
    const broken = `apiVersion: quota.miloapis.com/v1alpha1
kind: ClaimCreationPolicy
metadata: { name: broken }
spec:
  trigger: { resource: { apiVersion: v1, kind: Pod } }
  target: { resourceClaimTemplate: { spec: { consumerRef: { kind: Namespace, name: a }, requests: [{ resourceType: test/unknown, amount: 1 }] } } }
`;
    const unknown = grant(
      "unknown",
      "team",
      "{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/unknown, buckets: [{ amount: 1 }] }] }",
    );
    await client.create([ungranted, broken, unknown].join("---\n"));
    const hasProblems = (result: CommandResult): boolean => json(result).problems >= 3;
    const result = await env.runUntil(["doctor", "-o", "json"], hasProblems);
    expect(result.status).toBe(1);
    const findings = json(result).findings.map(({ check, state, message }: Record<string, string>) => [
      check,
      state,
      message,
    ]);
    expect(findings).toContainEqual([
      "registrations",
      "warning",
      "no grant for test/ungranted (ResourceRegistration ungranted)",
    ]);
    expect(findings).toContainEqual(["registrations", "problem", "test/unknown is granted but not registered"]);
    expect(findings).toContainEqual([
      "policies",
      "problem",
      expect.stringMatching(/^ClaimCreationPolicy broken: ValidationFailed: .*test\/unknown/),
    ]);
    expect(findings).toContainEqual([
      "grants",
      "problem",
      expect.stringMatching(/^ResourceGrant team\/unknown \(Namespace\/team\): ValidationFailed/),
    ]);
    const { out } = await env.runAsAdmin(["doctor"]);
    expect(out).toContain("PROBLEM  registrations  test/unknown is granted but not registered\n");
    expect(out).toContain("                        Create a ResourceRegistration for it.\n");
    expect(out).toMatch(/\n[0-9]+ problems, [0-9]+ warnings?\.\n$/);
    for (const each of [ungranted, broken, unknown]) await client.delete(each);
  });

  it("finds usage over a limit", async () => {
    const small = grant(
      "storage",
      "team",
      "{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/storage, buckets: [{ amount: 1073741824 }] }] }",
    );
    await client.delete(small);
    await client.create(small);
    const { out } = await env.runUntil(["doctor"], (result) => /is over its limit/.test(result.out));
    expect(out).toContain("warning  buckets        Namespace/team is over its limit of test/storage by 4 GiB\n");
    expect((await env.runAsAdmin(["usage", "--consumer", "Namespace/team"])).out).toContain("500%  over the limit");
  });
});

describe("milo-quota export", () => {
  beforeAll(async () => {
    await client.create(beta);
  });

  it("prints quota and tenant objects without those that the quota system creates", async () => {
    const { status, out, err } = await env.runAsAdmin(["export"]);
    expect(status).toBe(0);
    expect(err).toContain("Skipped the control planes of 3 projects: --dir includes them.");
    const objects = parseAllDocuments(out).map((document) => document.toJS());
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).toEqual([
      "Namespace/team",
      "ResourceRegistration/projects-per-organization",
      "ResourceRegistration/secrets",
      "ResourceRegistration/storage",
      "GrantCreationPolicy/three-projects",
      "Organization/acme-corp",
      "Organization/beta",
      "ResourceGrant/storage",
      "ClaimCreationPolicy/one-project",
      "ResourceClaim/large",
      "ResourceClaim/small",
      "Project/blog",
      "Project/shop",
      "Project/web",
    ]);
    for (const object of objects) {
      expect(Object.keys(object)).not.toContain("status");
      expect(Object.keys(object.metadata).filter((field) => !["name", "namespace"].includes(field))).toEqual([]);
    }
    expect(objects[1].spec).toEqual(parse(readFileSync(join(example, "1-registration.yaml"), "utf8")).spec);
  });

  it("prints a List as JSON, and a single project", async () => {
    const list = json(await env.runAsAdmin(["export", "--project", "web", "-o", "json"]));
    expect(list).toMatchObject({ apiVersion: "v1", kind: "List", items: [{ kind: "ResourceGrant" }] });
  });

  it("writes a directory for each control plane", async () => {
    const directory = join(env.directory, "backup");
    const { out } = await env.runAsAdmin(["export", "--dir", directory]);
    expect(out).toContain(`${join(directory, "root")}: 14 objects of root\n`);
    expect(out).toContain(`${join(directory, "projects/web")}: 1 object of project web\n`);
    expect(readdirSync(join(directory, "root"))).toEqual([
      "01-namespaces.yaml",
      "02-resourceregistrations.yaml",
      "03-grantcreationpolicies.yaml",
      "04-organizations.yaml",
      "05-resourcegrants.yaml",
      "06-claimcreationpolicies.yaml",
      "07-resourceclaims.yaml",
      "08-projects.yaml",
    ]);
    expect((await env.run(["validate", join(directory, "root")])).status).toBe(0);
    expect(await env.runAsAdmin(["export", "--dir", env.kubeconfig])).toMatchObject({
      status: 2,
      err: expect.stringContaining("cannot write to "),
    });
  });

  it("reproduces the same objects on another server", async () => {
    const directory = join(env.directory, "moved");
    await env.runAsAdmin(["export", "--dir", directory]);
    const other = env.sibling();
    await other.startServer();
    const otherClient = new ClusterClient(other.kubeconfig);
    const files = readdirSync(join(directory, "root")).map((name) => join(directory, "root", name));
    const applyAll = async (): Promise<readonly string[]> => {
      const rejections: string[] = [];
      for (const file of files) rejections.push(...(await otherClient.create(file)));
      return rejections.filter((rejection) => !/already exists/.test(rejection));
    };
    for (let tries = 0; (await applyAll()).length > 0 && tries < 50; tries += 1) {
      await new Promise((look) => setTimeout(look, 100));
    }
    const [there, here] = await Promise.all([other.runAsAdmin(["export"]), env.runAsAdmin(["export"])]);
    await otherClient.close();
    await other.stop();
    expect(there.out).toBe(here.out);
  });
});
