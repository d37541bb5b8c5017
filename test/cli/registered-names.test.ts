import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CliTestEnv, type CommandResult } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";

const redText = "\u001b[31m";

/** The labels and annotations of a registration that the CLI shows. */
interface RegistrationTexts {
  readonly displayName?: string;
  readonly description?: string;
  readonly owner?: string;
  readonly spec?: object;
}

const registration = (name: string, { displayName, description, owner, spec = {} }: RegistrationTexts): string =>
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
  ungranted: registration("ungranted", { displayName: "Not granted", owner: "vault" }),
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

let env: CliTestEnv;
let client: ClusterClient;
const json = ({ out }: CommandResult) => JSON.parse(out);

beforeAll(async () => {
  env = await CliTestEnv.build();
  await env.startServer();
  client = new ClusterClient(env.kubeconfig);
  for (const each of Object.values(registrations)) {
    expect(await client.create(each)).toEqual([]);
    await client.waitUntil(each, hasCondition("Active"));
  }
  await client.create(grant(10));
  await client.waitUntil(grant(10), hasCondition("Active"));
  await client.create(claim);
  await client.waitUntil(claim, hasCondition("Granted"));
  await env.runUntil(["usage", "-o", "json"], (result) => json(result).items.length === 4);
}, 120_000);

afterAll(async () => {
  await client?.close();
  await env?.stop();
});

/** The lines of a table, with columns separated by two spaces. */
const lines = ({ out }: CommandResult): readonly string[] => out.trimEnd().replaceAll(/ {2,}/g, "  ").split("\n");

describe("display names, descriptions and owners of registrations", () => {
  it("are columns of the usage table, which is sorted by owner", async () => {
    const result = await env.runAsAdmin(["usage"]);
    expect(lines(result)).toEqual([
      "CONSUMER  OWNER  NAME  RESOURCE TYPE  LIMIT  ALLOCATED  RESERVED  AVAILABLE  USED",
      expect.stringMatching(/^Namespace\/default {2}test\/plain {2}10 units /),
      expect.stringMatching(/^ {2}compute {2}CPU time {2}test\/cpu {2}10 units /),
      expect.stringMatching(/^ {2}Di \[31msk x{29}… {2}test\/disk {2}10 units /),
      expect.stringMatching(/^ {2}vault {2}Secrets {2}test\/secrets {2}10 units /),
    ]);
    expect(result.out).not.toContain("\u001b");
  });

  it("filter usage by owner", async () => {
    const types = async (...flags: string[]) =>
      json(await env.runAsAdmin(["usage", "-o", "json", ...flags])).items.map(
        ({ resourceType }: { resourceType: string }) => resourceType,
      );
    expect((await types("--owner", "compute")).sort()).toEqual(["test/cpu", "test/disk"]);
    expect(await types("--owner", "vault", "--resource-type", "secrets")).toEqual(["test/secrets"]);
    expect((await env.runAsAdmin(["usage", "--owner", "nope"])).out).toBe("No matching quota found.\n");
    const { status, err } = await env.runAsAdmin(["usage", "--owner", "nope", "--consumer", "Namespace/default"]);
    expect([status, err]).toEqual([
      5,
      expect.stringContaining("no quota owned by nope is granted to or used by Namespace/default"),
    ]);
  });

  it("are unchanged in JSON", async () => {
    const { items } = json(await env.runAsAdmin(["usage", "-o", "json"]));
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

  it("are part of explanations of buckets", async () => {
    const result = await env.runAsAdmin(["explain", "--resource-type", "cpu"]);
    expect(result.out).toMatch(
      /^test\/cpu of Namespace\/default: .*\n"CPU time", owned by compute: Cores that run\.\n/,
    );
    const plain = await env.runAsAdmin(["explain", "--resource-type", "plain"]);
    expect(plain.out).toMatch(/^test\/plain of Namespace\/default: .*\nAllowanceBucket /);
    const { buckets } = json(await env.runAsAdmin(["explain", "--resource-type", "cpu", "-o", "json"]));
    expect(buckets[0]).toMatchObject({ resourceType: "test/cpu", displayName: "CPU time", owner: "compute" });
  });

  it("are part of explanations of claims", async () => {
    const result = await env.runAsAdmin(["explain", "some"]);
    expect(result.out).toContain('  requests  3 units of test/cpu "CPU time", 3 units of test/plain\n');
    const { claims } = json(await env.runAsAdmin(["explain", "some", "-o", "json"]));
    expect(claims[0].requests[0]).toMatchObject({ resourceType: "test/cpu", displayName: "CPU time", amount: 3 });
  });

  it("are part of the doctor's findings", async () => {
    expect((await env.runAsAdmin(["doctor"])).out).toContain(
      'warning  registrations  no grant for test/ungranted (ResourceRegistration ungranted "Not granted" of vault)\n',
    );
    const { findings } = json(await env.runAsAdmin(["doctor", "-o", "json"]));
    const registrationsIn = findings.flatMap((finding: { registration?: object }) => finding.registration ?? []);
    expect(registrationsIn).toEqual([
      { name: "ungranted", resourceType: "test/ungranted", displayName: "Not granted", owner: "vault" },
    ]);
    await client.delete(grant(10));
    await client.create(grant(1));
    const { out } = await env.runUntil(["doctor"], (result) => result.out.includes("test/cpu"));
    expect(out).toContain('Namespace/default is over its limit of test/cpu "CPU time" by 2 units\n');
  });

  it("cannot filter usage without permission to read registrations", async () => {
    await client.create("apiVersion: iam.miloapis.com/v1alpha1\nkind: User\nmetadata: { name: alice }\n");
    const { out: token } = await env.runAsAdmin(["token", "create", "--user", "alice"]);
    const { status, err } = await env.runAsAdmin(["usage", "--owner", "vault", "--token", token.trim()]);
    expect([status, err]).toEqual([4, expect.stringContaining("resourceregistrations")]);
  });
});
