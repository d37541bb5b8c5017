import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { CliWorld, type Said } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";

const example = resolve("examples/projects-per-organization");
const projects = "resourcemanager.miloapis.com/projects";
const webPlane = "/apis/resourcemanager.miloapis.com/v1alpha1/projects/web/control-plane";
let world: CliWorld;
let hands: ClusterHands;

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

const json = ({ out }: Said) => JSON.parse(out);

beforeAll(async () => {
  world = await CliWorld.build();
  await world.up();
  hands = new ClusterHands(world.kubeconfig);
  for (const name of ["1-registration", "2-grant-policy", "3-claim-policy", "4-organization"]) {
    expect(await hands.create(join(example, `${name}.yaml`))).toEqual([]);
  }
  for (const name of ["2-grant-policy", "3-claim-policy"]) {
    await hands.until(readFileSync(join(example, `${name}.yaml`), "utf8"), holds("Ready"));
  }
  await world.until(["usage", "-o", "json"], (said) => json(said).items[0]?.limit === 3);
  expect(await hands.create(join(example, "try/four-projects.yaml"))).toHaveLength(1);
  for (const text of [storage, secretsOfProject]) {
    await hands.create(text);
    await hands.until(text, holds("Active"));
  }
  await hands.create("apiVersion: v1\nkind: Namespace\nmetadata: { name: team }\n");
  const gib = 1_073_741_824;
  const given = `{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/storage, buckets: [{ amount: ${8 * gib} }, { amount: ${2 * gib}, dimensionSelector: { matchLabels: { location: DFW } } }] }] }`;
  await hands.create(grant("storage", "team", given));
  await hands.until(grant("storage", "team", given), holds("Active"));
  for (const [name, size] of [
    ["small", gib],
    ["large", 4 * gib],
  ] as const) {
    await hands.create(claim(name, String(size)));
    await hands.until(claim(name, "1"), holds("Granted"));
  }
  await hands.until(
    "apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: { name: web }\n",
    holds("Ready"),
  );
  const webGrant = grant(
    "secrets",
    "milo-system",
    "{ consumerRef: { apiGroup: resourcemanager.miloapis.com, kind: Project, name: web }, allowances: [{ resourceType: test/secrets, buckets: [{ amount: 5 }] }] }",
  );
  expect(await hands.create(webGrant, webPlane)).toEqual([]);
  await hands.until(webGrant, holds("Active"), webPlane);
  const isSettled = (said: Said): boolean =>
    json(said).items.length === 4 && json(said).items.every(({ reserved }: { reserved: number }) => reserved === 0);
  await world.until(["usage", "--all", "-o", "json"], isSettled);
}, 120_000);

afterAll(async () => {
  await hands?.close();
  await world?.stop();
});

describe("milo-quota usage", () => {
  it("shows who may have how much, and has it, in the units people read", async () => {
    const { status, out, err } = await world.ask(["usage"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out.replaceAll(/ {2,}/g, "  ").split("\n")).toEqual([
      "CONSUMER  RESOURCE TYPE  DIMENSIONS  LIMIT  ALLOCATED  RESERVED  AVAILABLE  USED",
      "Namespace/team  test/storage  10 GiB  5 GiB  0 GiB  5 GiB  #####-----  50%",
      "  location=DFW  10 GiB  5 GiB  0 GiB  5 GiB  #####-----  50%",
      `Organization/acme-corp  ${projects}  3 projects  3  0  0  ########## 100%`,
      "",
      "Lines with dimensions are parts of the line above them, and share what is granted with each other: do not add them up.",
      "What others have taken of it is not available, though it is not allocated in that line.",
      "",
    ]);
  });

  it("gives programs base units", async () => {
    const said = await world.ask(["usage", "--consumer", "namespace/team", "-o", "json"]);
    expect(json(said).items[0]).toMatchObject({
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
    expect(parse((await world.ask(["usage", "--resource-type", "projects", "-o", "yaml"])).out).items).toHaveLength(1);
  });

  it("looks into the control planes of projects when asked to", async () => {
    const one = await world.ask(["usage", "--project", "web"]);
    expect(one.out).toContain("Project/web   test/secrets    5 secrets");
    const all = await world.ask(["usage", "--all", "-o", "json"]);
    expect(new Set(json(all).items.map(({ plane }: { plane: string }) => plane))).toEqual(
      new Set(["root", "project web"]),
    );
    expect((await world.ask(["usage", "--all"])).out).toMatch(/^PLANE .*\nroot .*[\s\S]*\nproject web /);
  });

  it("shows the part of an organization", async () => {
    const said = await world.ask(["usage", "--organization", "acme-corp", "-o", "json"]);
    expect(json(said).items.map(({ consumer }: { consumer: { name: string } }) => consumer.name)).toEqual([
      "acme-corp",
    ]);
  });

  const empty: Record<string, string[]> = {
    "a type that nobody uses": ["--resource-type", "nothing"],
    "a namespace without buckets": ["-n", "default"],
  };
  for (const [name, args] of Object.entries(empty)) {
    it(`says so when there is nothing: ${name}`, async () => {
      expect(await world.ask(["usage", ...args])).toMatchObject({
        status: 0,
        out: expect.stringMatching(/^Nothing is /),
      });
      expect(json(await world.ask(["usage", ...args, "-o", "json"]))).toEqual({ items: [] });
    });
  }
});

describe("milo-quota usage of a consumer that has nothing", () => {
  const wrong: Record<string, [args: string[], err: string]> = {
    "whatever is asked for": [
      [],
      "nothing is granted to Organization/nobody or used by it\nIs it named right? --all looks into the planes of projects, too.\n",
    ],
    "in all planes, of one type": [
      ["--all", "--resource-type", "projects", "-o", "json"],
      "nothing of projects is granted to Organization/nobody or used by it\nIs it named right?\n",
    ],
  };
  for (const [name, [args, err]] of Object.entries(wrong)) {
    it(`says so, and exits with 5: ${name}`, async () => {
      const said = await world.ask(["usage", "--consumer", "Organization/nobody", ...args]);
      expect(said).toEqual({ status: 5, out: "", err: `milo-quota: ${err}` });
    });
  }
});

describe("milo-quota explain", () => {
  const because = `${projects}: requested 1 project, limit 3, allocated 3, reserved 0, available 0`;

  it("tells why an object was denied though its claim is gone, and who holds the quota", async () => {
    const { status, out } = await world.until(["explain", "Project/one-too-many"], (said) => said.status === 0);
    expect(status).toBe(0);
    expect(out).toContain("was denied, last at ");
    expect(out).toContain(`because   ${because}`);
    expect(out).toContain(
      `${projects} of Organization/acme-corp: limit 3 projects, allocated 3, reserved 0, available 0`,
    );
    expect(out).toMatch(/\/three-projects-\S+ +3 projects +policy three-projects/);
    for (const name of ["web", "shop", "blog"]) expect(out).toMatch(new RegExp(`Project/${name} +1 project`));
  });

  it("finds the denial by the manifest, and by the name of the claim", async () => {
    const file = world.file(
      "too-many.yaml",
      parseAllDocuments(readFileSync(join(example, "try/four-projects.yaml"), "utf8"))[3]?.toString() ?? "",
    );
    const [denied, ...others] = json(await world.ask(["explain", "-f", file, "-o", "json"])).claims;
    expect(others).toEqual([]);
    expect(denied).toMatchObject({ answer: "denied", gone: true, message: because });
    const byName = json(await world.ask(["explain", denied.claim.name, "-o", "json"]));
    expect(byName.claims).toMatchObject([{ gone: true, message: because }]);
  });

  it("takes no denial of one object for that of another", async () => {
    const said = await world.ask(["explain", "Project/another"]);
    expect(said).toMatchObject({
      status: 5,
      out: "",
      err: expect.stringContaining("nothing is known of Project/another: no claim is there for it"),
    });
  });

  it("tells what a granted claim holds", async () => {
    const { out } = await world.ask(["explain", "Project/web"]);
    expect(out).toContain("answer    granted: it holds what it asked for until it is deleted");
    expect(json(await world.ask(["explain", "claim/large", "-o", "json"])).claims).toMatchObject([
      { answer: "granted", gone: false, requests: [{ resourceType: "test/storage", amount: 4_294_967_296 }] },
    ]);
  });

  it("tells what a denied claim that somebody made by hand wanted, with what did not fit", async () => {
    await hands.create(claim("huge", "107374182400", "ORD"));
    const { out } = await world.until(["explain", "huge", "-n", "team"], (said) => /denied:/.test(said.out));
    expect(out).toContain("asks for  100 GiB of test/storage in location=ORD\n");
    expect(out).toContain(
      "because   QuotaExceeded: test/storage (location=ORD): requested 100 GiB, limit 8 GiB, allocated 0 GiB",
    );
    await hands.remove(claim("huge", "1"));
  });

  it("shows what makes up a bucket, the largest claim first", async () => {
    const said = await world.ask(["explain", "--consumer", "Namespace/team", "-o", "json"]);
    const { buckets } = json(said);
    expect(buckets[0].grants).toEqual([{ name: "team/storage", amount: 10_737_418_240 }]);
    expect(buckets[0].claims.map(({ name }: { name: string }) => name)).toEqual(["team/large", "team/small"]);
    const { name } = buckets[0].bucket;
    expect((await world.ask(["explain", `bucket/${name}`])).out).toMatch(/team\/large +by hand +4 GiB/);
  });

  const wrong: Record<string, [args: string[], status: number, message: RegExp]> = {
    "nothing to explain": [[], 2, /nothing to explain: name a claim/],
    "a claim that nobody knows": [["nope"], 5, /there is no claim or bucket nope/],
    "a bucket that nobody knows": [["bucket/nope"], 5, /there is no such bucket/],
    "a word that is no object": [["a/b/c/d"], 2, /write Kind\/name, such as Organization\/acme-corp/],
    "a file that is not there": [["-f", "nowhere.yaml"], 2, /cannot read nowhere.yaml/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await world.ask(["explain", ...args])).toMatchObject({ status, err: expect.stringMatching(message) });
    });
  }
});

describe("milo-quota simulate-create", () => {
  const project = (name: string, organization: string): string =>
    `apiVersion: resourcemanager.miloapis.com/v1alpha1\nkind: Project\nmetadata: { name: ${name} }\nspec: { ownerRef: { kind: Organization, name: ${organization} } }\n`;
  it("tells which fit, alone and beside each other, and creates nothing", async () => {
    await hands.create(beta);
    const isGranted = (said: Said): boolean => json(said).items[0]?.limit === 3;
    await world.until(["usage", "--consumer", "Organization/beta", "-o", "json"], isGranted);
    const input = ["a", "b", "c", "d"].map((name) => project(name, "beta")).join("---\n");
    const said = await world.ask(["simulate-create", "-f", "-"], { input });
    expect(said).toEqual({
      status: 1,
      err: "",
      out: `Project/a: fits
Project/b: fits
Project/c: fits
Project/d: fits alone, but not beside those before it
    Organization "beta": ${projects}: requested 1 project, limit 3, allocated 3, reserved 0, available 0

3 of 4 objects would be created.
`,
    });
    const again = await world.ask(["simulate-create", "-f", "-", "-o", "json"], { input: project("a", "beta") });
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
    const after = await world.ask(["usage", "--consumer", "Organization/beta", "-o", "json"]);
    expect(json(after).items[0]).toMatchObject({ allocated: 0, reserved: 0 });
  });

  it("tells refusals apart from what is there already, what cannot be created, and what is free", async () => {
    const input = [
      project("web", "acme-corp"),
      project("more", "acme-corp"),
      project("Bad_Name", "acme-corp"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: free }\n",
    ].join("---\n");
    const { status, out } = await world.ask(["simulate-create", "-f", "-"], { input });
    expect(status).toBe(1);
    expect(out).toContain(
      'Project/web: exists already\n    projects.resourcemanager.miloapis.com "web" already exists\n',
    );
    expect(out).toContain("Project/more: does not fit\n    Insufficient quota resources available: ");
    expect(out).toContain("Project/Bad_Name: cannot be created\n");
    expect(out).toContain("ConfigMap/default/free: fits (no quota on it)\n");
    expect(out).toContain("1 of 4 objects would be created.\n");
  });

  it("asks policies about objects as the server fills them in", async () => {
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
    await hands.create([cpu, policy].join("---\n"));
    await hands.until(policy, holds("Ready"));
    const pod = (name: string, more: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, namespace: team }\nspec: { containers: [{ name: a, image: b${more} }] }\n`;
    const input = [pod("free", ""), pod("asks", ", resources: { requests: { cpu: 1 } }")].join("---\n");
    const said = await world.ask(["simulate-create", "-f", "-", "-o", "json"], { input });
    expect(json(said).items).toMatchObject([
      { alone: { verdict: "fits" }, claims: [], problems: [], together: { fits: true } },
      { alone: { verdict: "does not fit" }, claims: [{ policy: "cpu" }], problems: [] },
    ]);
    expect(await hands.create(pod("asks", ", resources: { requests: { cpu: 1 } }"))).toHaveLength(1);
    const explained = await world.until(["explain", "Pod/team/asks"], ({ status }) => status === 0);
    expect(explained.out).toMatch(/was denied.*\n {2}for {7}Pod\/team\/asks\n {2}because {3}test\/cpu: requested 1/);
    for (const each of [policy, cpu]) await hands.remove(each);
  });

  it("tries all requests of an object together: they may share a pool", async () => {
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
    await hands.create([seats, policy, given].join("---\n"));
    await hands.until(policy, holds("Ready"));
    await hands.until(given, holds("Active"));
    const map = (name: string, each: number): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: team }\ndata: { each: "${each}" }\n`;
    const input = [map("large", 3), map("one", 2), map("other", 1)].join("---\n");
    const isGranted = (said: Said): boolean => said.out.includes("test/seats");
    await world.until(["usage", "--consumer", "Namespace/team"], isGranted);
    const { status, out } = await world.ask(["simulate-create", "-f", "-"], { input });
    expect(status).toBe(1);
    expect(out).toContain("ConfigMap/team/large: does not fit\n    Insufficient quota resources available: ");
    expect(out).toContain(
      'test/seats (place=b) for Namespace "team": requested 3 seats, limit 5, allocated 0, reserved 0, available 2 (3',
    );
    expect(out).toContain("ConfigMap/team/one: fits\n");
    expect(out).toContain(`ConfigMap/team/other: fits alone, but not beside those before it
    Namespace "team": test/seats (place=b): requested 1 seat, limit 5, allocated 2, reserved 0, available 0 (3`);
    for (const each of [policy, given, seats]) await hands.remove(each);
  });

  it("says which kinds the server does not have", async () => {
    const said = await world.ask(["simulate-create", "-f", "-"], {
      input: "apiVersion: example.com/v1\nkind: Thing\nmetadata: { name: x }\n",
    });
    expect(said).toEqual({
      status: 5,
      out: "",
      err: "milo-quota: the server has no kind Thing in example.com/v1\nInstall its definition first, or correct apiVersion and kind.\n",
    });
  });

  it("takes nothing for an object that is none", async () => {
    expect(await world.ask(["simulate-create", "-f", "-"], { input: "a: 1\n" })).toMatchObject({
      status: 2,
      err: expect.stringContaining("document 1 of - is no object"),
    });
    expect(await world.ask(["simulate-create", "-f", "-"])).toMatchObject({ status: 2 });
    expect(await world.ask(["simulate-create"])).toMatchObject({ status: 2 });
  });
});

describe("milo-quota recount", () => {
  it("finds nothing to complain about", async () => {
    const { status, out } = await world.ask(["recount"]);
    expect(out).toMatch(/^Grants and claims of [0-9]+ consumers added up: every bucket says what they come to\.\n$/);
    expect(status).toBe(0);
  });

  it("could find nothing here that others wrote into a bucket: nobody but the quota system can", async () => {
    const usage = await world.ask(["usage", "--consumer", "Organization/acme-corp", "-o", "json"]);
    const { namespace, name } = json(usage).items[0].bucket;
    const written = hands.patchStatus(bucket(name, namespace), { allocated: 1, available: 2 });
    await expect(written).rejects.toThrow("only the quota system writes it; it follows from grants and claims");
    expect((await world.ask(["recount"])).status).toBe(0);
  });
});

describe("milo-quota doctor", () => {
  it("warns of what may be meant, and exits with 0", async () => {
    const { status, out } = await world.ask(["doctor"]);
    expect(out).toMatch(/^ok {7}definitions {4}all 7 kinds are installed and current\nok {7}admission /);
    expect(out).toContain("controllers    they run in the process of the server");
    expect(status).toBe(0);
  });

  it("finds policies that do not work, types that nobody registered or was granted, and says what to do", async () => {
    const lonely = registration(
      "lonely",
      "{ resourceType: test/lonely, type: Entity, consumerType: { apiGroup: '', kind: Namespace }, baseUnit: thing }",
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
    await hands.create([lonely, broken, unknown].join("---\n"));
    const isSeen = (said: Said): boolean => json(said).problems >= 3;
    const said = await world.until(["doctor", "-o", "json"], isSeen);
    expect(said.status).toBe(1);
    const findings = json(said).findings.map(({ check, state, message }: Record<string, string>) => [
      check,
      state,
      message,
    ]);
    expect(findings).toContainEqual([
      "registrations",
      "warning",
      "nobody is granted test/lonely (ResourceRegistration lonely)",
    ]);
    expect(findings).toContainEqual(["registrations", "problem", "test/unknown is granted, but nobody registered it"]);
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
    const { out } = await world.ask(["doctor"]);
    expect(out).toContain("PROBLEM  registrations  test/unknown is granted, but nobody registered it\n");
    expect(out).toContain("                        Create a ResourceRegistration for it.\n");
    expect(out).toMatch(/\n[0-9]+ problems, [0-9]+ warnings?\.\n$/);
    for (const each of [lonely, broken, unknown]) await hands.remove(each);
  });

  it("finds use beyond a limit", async () => {
    const small = grant(
      "storage",
      "team",
      "{ consumerRef: { kind: Namespace, name: team }, allowances: [{ resourceType: test/storage, buckets: [{ amount: 1073741824 }] }] }",
    );
    await hands.remove(small);
    await hands.create(small);
    const { out } = await world.until(["doctor"], (said) => /more than its limit/.test(said.out));
    expect(out).toContain("warning  buckets        Namespace/team uses 4 GiB of test/storage more than its limit\n");
    expect((await world.ask(["usage", "--consumer", "Namespace/team"])).out).toContain("500%  over the limit");
  });
});

describe("milo-quota export", () => {
  beforeAll(async () => {
    await hands.create(beta);
  });

  it("prints what people made, and nothing that servers and the quota system made", async () => {
    const { status, out, err } = await world.ask(["export"]);
    expect(status).toBe(0);
    expect(err).toContain("Left out the control planes of 3 projects: --dir writes those, too.");
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

  it("prints a list as JSON, and one project alone", async () => {
    const list = json(await world.ask(["export", "--project", "web", "-o", "json"]));
    expect(list).toMatchObject({ apiVersion: "v1", kind: "List", items: [{ kind: "ResourceGrant" }] });
  });

  it("writes a folder for each control plane", async () => {
    const folder = join(world.folder, "backup");
    const { out } = await world.ask(["export", "--dir", folder]);
    expect(out).toContain(`${join(folder, "root")}: 14 objects of root\n`);
    expect(out).toContain(`${join(folder, "projects/web")}: 1 object of project web\n`);
    expect(readdirSync(join(folder, "root"))).toEqual([
      "01-namespaces.yaml",
      "02-resourceregistrations.yaml",
      "03-grantcreationpolicies.yaml",
      "04-organizations.yaml",
      "05-resourcegrants.yaml",
      "06-claimcreationpolicies.yaml",
      "07-resourceclaims.yaml",
      "08-projects.yaml",
    ]);
    expect((await world.run(["validate", join(folder, "root")])).status).toBe(0);
    expect(await world.ask(["export", "--dir", world.kubeconfig])).toMatchObject({
      status: 2,
      err: expect.stringContaining("cannot write to "),
    });
  });

  it("gives another server everything that it needs to be the same", async () => {
    const folder = join(world.folder, "moved");
    await world.ask(["export", "--dir", folder]);
    const other = world.another();
    await other.up();
    const otherHands = new ClusterHands(other.kubeconfig);
    const files = readdirSync(join(folder, "root")).map((name) => join(folder, "root", name));
    const applyAll = async (): Promise<readonly string[]> => {
      const refusals: string[] = [];
      for (const file of files) refusals.push(...(await otherHands.create(file)));
      return refusals.filter((refusal) => !/already exists/.test(refusal));
    };
    for (let tries = 0; (await applyAll()).length > 0 && tries < 50; tries += 1) {
      await new Promise((look) => setTimeout(look, 100));
    }
    const [there, here] = await Promise.all([other.ask(["export"]), world.ask(["export"])]);
    await otherHands.close();
    await other.stop();
    expect(there.out).toBe(here.out);
  });
});
