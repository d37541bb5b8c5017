import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliWorld, type Said } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";

const redText = "\u001b[31m";

/** What a registration has on it for people. */
interface Marks {
  readonly displayName?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly spec?: object;
}

const registration = (name: string, { displayName, description, owner, spec = {} }: Marks): string =>
  `${JSON.stringify({
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceRegistration",
    metadata: {
      name,
      labels: owner === undefined ? {} : { "services.miloapis.com/owner": owner },
      annotations: {
        ...(displayName === undefined ? {} : { "kubernetes.io/display-name": displayName }),
        ...(description === undefined ? {} : { "kubernetes.io/description": description }),
      },
    },
    spec: {
      resourceType: `test/${name}`,
      type: "Allocation",
      consumerType: { apiGroup: "", kind: "Namespace" },
      baseUnit: "unit",
      ...spec,
    },
  })}\n`;

const registrations: Readonly<Record<string, string>> = {
  cpu: registration("cpu", { displayName: "CPU time", description: "Cores\nthat run.", owner: "compute" }),
  disk: registration("disk", { displayName: `Di${redText}sk\n${"x".repeat(300)}`, owner: "compute" }),
  secrets: registration("secrets", {
    displayName: "Secrets",
    description: "from the annotation",
    owner: "vault",
    spec: { description: "from the spec" },
  }),
  plain: registration("plain", {}),
  lonely: registration("lonely", { displayName: "Nobody's", owner: "vault" }),
};

const consumerRef = { kind: "Namespace", name: "default" };
const grant = (amount: number): string => {
  const types = ["cpu", "disk", "secrets", "plain"];
  const allowances = types.map((name) => ({ resourceType: `test/${name}`, buckets: [{ amount }] }));
  const metadata = { name: "all", namespace: "default" };
  const head = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceGrant", metadata };
  return `${JSON.stringify({ ...head, spec: { consumerRef, allowances } })}\n`;
};
const claim = `${JSON.stringify({
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceClaim",
  metadata: { name: "some", namespace: "default" },
  spec: { consumerRef, requests: ["cpu", "plain"].map((name) => ({ resourceType: `test/${name}`, amount: 3 })) },
})}\n`;

let world: CliWorld;
let hands: ClusterHands;
const json = ({ out }: Said) => JSON.parse(out);

beforeAll(async () => {
  world = await CliWorld.build();
  await world.up();
  hands = new ClusterHands(world.kubeconfig);
  for (const each of Object.values(registrations)) {
    expect(await hands.create(each)).toEqual([]);
    await hands.until(each, holds("Active"));
  }
  await hands.create(grant(10));
  await hands.until(grant(10), holds("Active"));
  await hands.create(claim);
  await hands.until(claim, holds("Granted"));
  await world.until(["usage", "-o", "json"], (said) => json(said).items.length === 4);
}, 120_000);

afterAll(async () => {
  await hands?.close();
  await world?.stop();
});

/** Lines of a table, their cells apart by two blanks. */
const lines = ({ out }: Said): readonly string[] => out.trimEnd().replaceAll(/ {2,}/g, "  ").split("\n");

describe("names that registrations have for people", () => {
  it("stand beside the types in the table of usage, which is by owner", async () => {
    const said = await world.ask(["usage"]);
    expect(lines(said)).toEqual([
      "CONSUMER  OWNER  NAME  RESOURCE TYPE  LIMIT  ALLOCATED  RESERVED  AVAILABLE  USED",
      expect.stringMatching(/^Namespace\/default {2}test\/plain {2}10 units /),
      expect.stringMatching(/^ {2}compute {2}CPU time {2}test\/cpu {2}10 units /),
      expect.stringMatching(/^ {2}Di \[31msk x{29}… {2}test\/disk {2}10 units /),
      expect.stringMatching(/^ {2}vault {2}Secrets {2}test\/secrets {2}10 units /),
    ]);
    expect(said.out).not.toContain("\u001b");
  });

  it("select by their owner", async () => {
    const types = async (...flags: string[]) =>
      json(await world.ask(["usage", "-o", "json", ...flags])).items.map(
        ({ resourceType }: { resourceType: string }) => resourceType,
      );
    expect((await types("--owner", "compute")).sort()).toEqual(["test/cpu", "test/disk"]);
    expect(await types("--owner", "vault", "--resource-type", "secrets")).toEqual(["test/secrets"]);
    expect((await world.ask(["usage", "--owner", "nobody"])).out).toBe(
      "Nothing is granted or used that this asks for.\n",
    );
    const { status, err } = await world.ask(["usage", "--owner", "nobody", "--consumer", "Namespace/default"]);
    expect([status, err]).toEqual([
      5,
      expect.stringContaining("nothing that nobody owns is granted to Namespace/default"),
    ]);
  });

  it("are fields of their own for programs, as they are written", async () => {
    const { items } = json(await world.ask(["usage", "-o", "json"]));
    const named = (type: string) => items.find(({ resourceType }: { resourceType: string }) => resourceType === type);
    expect(named("test/cpu")).toMatchObject({
      displayName: "CPU time",
      description: "Cores\nthat run.",
      owner: "compute",
    });
    expect(named("test/disk").displayName).toContain(redText);
    expect(named("test/secrets").description).toBe("from the spec");
    for (const field of ["displayName", "description", "owner"]) expect(named("test/plain")).not.toHaveProperty(field);
  });

  it("explain what a bucket is about", async () => {
    const said = await world.ask(["explain", "--resource-type", "cpu"]);
    expect(said.out).toMatch(/^test\/cpu of Namespace\/default: .*\n"CPU time", owned by compute: Cores that run\.\n/);
    const plain = await world.ask(["explain", "--resource-type", "plain"]);
    expect(plain.out).toMatch(/^test\/plain of Namespace\/default: .*\nAllowanceBucket /);
    const { buckets } = json(await world.ask(["explain", "--resource-type", "cpu", "-o", "json"]));
    expect(buckets[0]).toMatchObject({ resourceType: "test/cpu", displayName: "CPU time", owner: "compute" });
  });

  it("explain what a claim asks for", async () => {
    const said = await world.ask(["explain", "some"]);
    expect(said.out).toContain('  asks for  3 units of test/cpu "CPU time", 3 units of test/plain\n');
    const { claims } = json(await world.ask(["explain", "some", "-o", "json"]));
    expect(claims[0].requests[0]).toMatchObject({ resourceType: "test/cpu", displayName: "CPU time", amount: 3 });
  });

  it("tell whom to ask about what the doctor finds", async () => {
    expect((await world.ask(["doctor"])).out).toContain(
      `warning  registrations  nobody is granted test/lonely (ResourceRegistration lonely "Nobody's" of vault)\n`,
    );
    const { findings } = json(await world.ask(["doctor", "-o", "json"]));
    const about = findings.flatMap((finding: { registration?: object }) => finding.registration ?? []);
    expect(about).toEqual([{ name: "lonely", resourceType: "test/lonely", displayName: "Nobody's", owner: "vault" }]);
    await hands.remove(grant(10));
    await hands.create(grant(1));
    const { out } = await world.until(["doctor"], (said) => said.out.includes("test/cpu"));
    expect(out).toContain('Namespace/default uses 2 units of test/cpu "CPU time" more than its limit\n');
  });

  it("are nothing to select by for whoever may not read registrations", async () => {
    await hands.create("apiVersion: iam.miloapis.com/v1alpha1\nkind: User\nmetadata: { name: alice }\n");
    const { out: token } = await world.ask(["token", "create", "--user", "alice"]);
    const { status, err } = await world.ask(["usage", "--owner", "vault", "--token", token.trim()]);
    expect([status, err]).toEqual([4, expect.stringContaining("resourceregistrations")]);
  });
});
