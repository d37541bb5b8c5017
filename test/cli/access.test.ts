import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CliWorld, type Said } from "./cli-world.ts";
import { ClusterHands, holds } from "./cluster-hands.ts";

let world: CliWorld;
let hands: ClusterHands;
const tenantApi = "apiVersion: resourcemanager.miloapis.com/v1alpha1";
const json = ({ out }: Said) => JSON.parse(out);

/** Of the administrator. */
const token = (): string => parse(readFileSync(world.kubeconfig, "utf8")).users[0].user.token;

beforeAll(async () => {
  world = await CliWorld.build();
  await world.up();
  hands = new ClusterHands(world.kubeconfig);
}, 120_000);

afterAll(async () => {
  await hands?.close();
  await world?.stop();
});

describe("finding the server", () => {
  it("takes a server and a token, and trusts no certificate that nobody vouches for", async () => {
    const named = ["usage", "--server", world.url, "--token", token()];
    const cluster = parse(readFileSync(world.kubeconfig, "utf8")).clusters[0].cluster;
    const authority = world.file("ca.pem", Buffer.from(cluster["certificate-authority-data"], "base64").toString());
    const [trusted, blind, distrusted] = await Promise.all([
      world.run([...named, "--certificate-authority", authority]),
      world.run([...named, "--insecure-skip-tls-verify"]),
      world.run(named),
    ]);
    expect([trusted.status, blind.status]).toEqual([0, 0]);
    expect(distrusted).toMatchObject({ status: 3, err: expect.stringMatching(/certificate .* cannot be trusted/) });
    expect(distrusted.err).toContain("--insecure-skip-tls-verify");
  });

  it("uses the server of the folder it is in, and says so, unless something else is named", async () => {
    const folder = mkdtempSync(join(world.folder, "local-"));
    mkdirSync(join(folder, ".milo-quota"));
    writeFileSync(join(folder, ".milo-quota/kubeconfig"), readFileSync(world.kubeconfig));
    const [local, other] = await Promise.all([
      world.run(["usage"], { folder }),
      world.run(["usage"], { folder, env: { KUBECONFIG: world.kubeconfig } }),
    ]);
    expect(local).toMatchObject({ status: 0, err: "Using .milo-quota/kubeconfig of this folder.\n" });
    expect(other).toMatchObject({ status: 0, err: "" });
  });

  const wrong: Record<string, [args: () => string[], status: number, message: RegExp]> = {
    "no server named": [() => [], 3, /no configuration has been provided.*\n`milo-quota up` starts a server/],
    "a kubeconfig that is not there": [() => ["--kubeconfig", "nope"], 3, /"nope" does not exist/],
    "a context that is not there": [
      () => ["--kubeconfig", world.kubeconfig, "--context", "x"],
      3,
      /context "x" does not exist/,
    ],
    "a server that is no URL": [() => ["--server", "::", "--token", "t"], 2, /--server :: is no URL/],
    "a token that everybody could read": [() => ["--server", "http://x", "--token", "t"], 2, /https:\/\/ alone/],
    "an authority that is not there": [
      () => ["--kubeconfig", world.kubeconfig, "--certificate-authority", "nope.pem"],
      2,
      /cannot read --certificate-authority nope.pem: no such file/,
    ],
    "a token that nobody knows": [
      () => ["--kubeconfig", world.kubeconfig, "--token", "wrong"],
      4,
      /does not know who you are: Unauthorized\nThe token may have ended/,
    ],
    "a project that is not there": [() => ["--kubeconfig", world.kubeconfig, "--project", "nope"], 5, /project nope/],
    "a name that no project has": [() => ["--kubeconfig", world.kubeconfig, "--project", "a/b"], 2, /no name of a ten/],
    "a form that nobody prints": [() => ["-o", "xml"], 2, /Allowed choices are table, json, yaml/],
    "a filter that says nothing": [
      () => ["--consumer", "acme"],
      2,
      /write Kind\/name, such as Organization\/acme-corp/,
    ],
    "no patience at all": [() => ["--request-timeout", "0"], 2, /a number of seconds, from 1 to 86400/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await world.run(["usage", ...args()])).toMatchObject({
        status,
        out: "",
        err: expect.stringMatching(message),
      });
    });
  }

  it("says that nobody answers, and what to do", async () => {
    const said = await world.run(["usage", "--server", "https://127.0.0.1:1", "--token", "t"]);
    expect(said).toMatchObject({
      status: 3,
      err: expect.stringContaining("no answer from the server at https://127.0.0.1:1"),
    });
    expect(said.err).toContain("Is it running? `milo-quota up` starts one here");
  });

  it("says in a sentence what systems say in words of their own", async () => {
    const [closed, unknown, silent] = await Promise.all(
      ["https://127.0.0.1:1", "https://nowhere.invalid", world.url.replace("https", "http")].map((server) =>
        world.run(["usage", "--server", server, "--kubeconfig", world.kubeconfig]),
      ),
    );
    expect(closed?.err).toContain("no answer from the server at https://127.0.0.1:1: nothing listens there\n");
    expect(unknown?.err).toMatch(
      /: (nobody knows a machine of that name|the name of the machine cannot be looked up now)\n/,
    );
    expect(silent?.err).not.toMatch(/E[A-Z]{4,}/);
  });

  it("waits no longer than it was told to", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    const { port } = silent.address() as { port: number };
    const flags = ["--server", `http://127.0.0.1:${port}`, "--kubeconfig", world.kubeconfig, "--request-timeout", "1"];
    const said = await world.run(["usage", ...flags]);
    silent.close();
    expect(said).toMatchObject({ status: 3, err: expect.stringContaining("the server took longer than 1 s") });
  });
});

describe("output", () => {
  it("may be left unread", async () => {
    const line = `'${process.execPath}' '${world.program}' completion fish | true; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["0\n", ""]);
  });

  it("may be left unread by those who have seen enough: what was begun is ended quietly", async () => {
    const before = await world.ask(["export"]);
    const line = `'${process.execPath}' '${world.program}' demo --kubeconfig '${world.kubeconfig}' | head -1; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^.*\n0\n$/), ""]);
    expect((await world.ask(["export"])).out).toBe(before.out);
  });
});

describe("milo-quota token", () => {
  it("makes tokens that members see their own with, lists and revokes them", async () => {
    const organization = (name: string): string => `${tenantApi}\nkind: Organization\nmetadata: { name: ${name} }\n`;
    await hands.create([organization("acme"), organization("other")].join("---\n"));
    await hands.until(organization("acme"), holds("Ready"));
    await hands.create(
      "apiVersion: iam.miloapis.com/v1alpha1\nkind: User\nmetadata: { name: alice }\nspec: { email: a@example.com }\n",
    );
    const membership = `${tenantApi}\nkind: OrganizationMembership\nmetadata: { name: alice, namespace: organization-acme }\nspec: { organizationRef: { name: acme }, userRef: { name: alice } }\n`;
    expect(await hands.create(membership)).toEqual([]);
    await hands.until(membership, holds("Ready"));

    const made = await world.ask(["token", "create", "--user", "alice", "--group", "devs", "ops", "--expires", "1h"]);
    expect(made).toMatchObject({ status: 0, out: expect.stringMatching(/^mqt-\S+\n$/) });
    expect(made.err).toMatch(/^Made user-token-[0-9a-f]{16} for alice, until \S+Z\. The token is shown this once\.\n$/);
    const alice = ["--kubeconfig", world.kubeconfig, "--token", made.out.trim()];
    const [own, others, root] = await Promise.all([
      world.run(["usage", "--organization", "acme", ...alice]),
      world.run(["usage", "--organization", "other", ...alice]),
      world.run(["usage", ...alice]),
    ]);
    expect(own).toMatchObject({ status: 0, out: expect.stringContaining("Nothing is granted or used yet.") });
    expect([others.status, root.status]).toEqual([4, 4]);
    expect(root.err).toContain("Ask whoever runs the server for this right.");

    const project = `${tenantApi}\nkind: Project\nmetadata: { name: site }\nspec: { ownerRef: { kind: Organization, name: acme } }\n`;
    await hands.create(project);
    await hands.until(project, holds("Ready"));
    const [inProject, explained, both] = await Promise.all([
      world.run(["usage", "--project", "site", ...alice]),
      world.run(["explain", "nothing", "--project", "site", ...alice]),
      world.run(["usage", "--project", "site", "--organization", "acme", ...alice]),
    ]);
    expect(inProject).toMatchObject({ status: 0, err: expect.stringContaining("Amounts are in base units") });
    expect(explained.status).toBe(5);
    expect(both).toMatchObject({ status: 0, err: "" });

    const listed = json(await world.ask(["token", "list", "-o", "json"]));
    expect(listed.items).toMatchObject([{ user: "alice", groups: ["devs", "ops"], expired: false }]);
    expect(JSON.stringify(listed)).not.toContain(made.out.trim());
    const name = listed.items[0].name;
    expect((await world.ask(["token", "list", "--user", "alice"])).out).toMatch(
      new RegExp(`\\n${name}   alice   devs,ops`),
    );
    expect((await world.ask(["token", "list", "--user", "bob"])).out).toBe("There are no tokens.\n");
    expect(await world.ask(["token", "revoke", name])).toEqual({
      status: 0,
      out: `${name} of alice is revoked\n`,
      err: "",
    });
    const after = await world.run(["usage", "--organization", "acme", ...alice]);
    expect(after.status).toBe(4);
  });

  it("gives programs everything about a new token, and ends all tokens of a user", async () => {
    const said = await world.ask(["token", "create", "--user", "ci", "-o", "json"]);
    expect(json(said)).toMatchObject({
      token: expect.stringMatching(/^mqt-/),
      user: "ci",
      groups: [],
      server: world.url,
    });
    expect(said.err).toContain("There is no User ci. The token works all the same, until it expires or is revoked.");
    await world.ask(["token", "create", "--user", "ci"]);
    const { out } = await world.ask(["token", "revoke", "--user", "ci"]);
    expect(out.match(/of ci is revoked/g)).toHaveLength(2);
  });

  const wrong: Record<string, [args: string[], status: number, message: RegExp]> = {
    "nobody's token": [["create"], 2, /required option '--user <name>' not specified/],
    "a name of the server's own": [["create", "--user", "system:admin"], 2, /the server's own/],
    "an end that is no time": [["create", "--user", "a", "--expires", "soon"], 2, /write 90m, 24h, 30d, or a time/],
    "an end that is over": [["create", "--user", "a", "--expires", "2020-01-01T00:00:00Z"], 2, /is over already/],
    "a token that is not there": [["revoke", "nope"], 5, /there is no token nope/],
    "a user without tokens": [["revoke", "--user", "nobody"], 5, /nobody has no tokens/],
    "neither token nor user": [["revoke"], 2, /name tokens, or a --user/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await world.ask(["token", ...args])).toMatchObject({ status, err: expect.stringMatching(message) });
    });
  }
});

describe("a server without quota", () => {
  it("is told apart from one that has it", async () => {
    const kubeconfig = join(world.folder, "bare");
    const flags = ["--in-memory", "--port", "0", "--kubeconfig", kubeconfig];
    const server = spawn(process.execPath, [world.program, "apiserver", ...flags]);
    await new Promise((serving) => server.stdout.once("data", serving));
    const ask = (...args: string[]): Promise<Said> => world.run([...args, "--kubeconfig", kubeconfig]);
    const [usage, doctor, demo, tokens] = await Promise.all([
      ask("usage"),
      ask("doctor"),
      ask("demo"),
      ask("token", "create", "--user", "a"),
    ]);
    const ended = new Promise((end) => server.once("exit", end));
    server.kill("SIGTERM");
    await ended;
    expect(usage).toMatchObject({ status: 5, err: expect.stringContaining("quota is not installed there") });
    expect(doctor).toMatchObject({ status: 1, out: expect.stringContaining("PROBLEM  definitions ") });
    expect(doctor.out).toContain("resourceclaims.quota.miloapis.com is not installed");
    expect(demo).toMatchObject({ status: 5, err: expect.stringContaining("With --in-memory the demo starts one") });
    expect(tokens).toMatchObject({ status: 5, err: expect.stringContaining("kubectl create token") });
  });
});

describe("milo-quota demo", () => {
  it("plays on a server of its own when nothing names one", async () => {
    const { status, out, err } = await world.run(["demo"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain("Starting a server in memory: nothing of this is kept.\n");
    expect(out).toContain(
      'Project demo-one-too-many: Insufficient quota resources available: resourcemanager.miloapis.com/projects for Organization "demo-corp": requested 1 project, limit 3, allocated 3, reserved 0, available 0.',
    );
    expect(out).toContain("   Project demo-one-too-many: created\n");
  });

  it("plays on a server that is there, twice, beside what is there, and leaves nothing behind", async () => {
    const before = await world.ask(["export"]);
    for (const _ of [1, 2]) {
      expect(await world.ask(["demo"])).toMatchObject({
        status: 0,
        out: expect.stringContaining("The demo has removed what it made.\n"),
      });
    }
    expect((await world.ask(["export"])).out).toBe(before.out);
  });
});

describe("as a plug-in of kubectl", () => {
  it("calls itself kubectl quota", async () => {
    const program = join(world.program, "..", "kubectl-quota");
    symlinkSync(resolve(world.program), program);
    const [failed, help] = await Promise.all([
      world.run(["usage"], { program }),
      world.run(["usage", "--help"], { program }),
    ]);
    expect(failed.err).toMatch(/^kubectl quota: no configuration/);
    expect(help.out).toContain("Usage: kubectl quota usage [options]");
    expect(help.out).toContain("  kubectl quota usage --all -o json\n");
  });
});

describe("milo-quota completion", () => {
  it("completes commands and flags in bash", async () => {
    const script = world.file("completion.bash", (await world.run(["completion", "bash"])).out);
    const complete = (...words: string[]): string => {
      const typed = words.map((word) => `'${word}'`).join(" ");
      const lines = `source '${script}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _milo_quota; echo "\${COMPREPLY[*]}"`;
      return spawnSync("bash", ["-c", lines], { encoding: "utf8" }).stdout.trim();
    };
    expect(complete("milo-quota", "us")).toBe("usage");
    expect(complete("milo-quota", "token", "")).toMatch(/^create list revoke/);
    expect(complete("milo-quota", "usage", "--res")).toBe("--resource-type");
    expect(complete("milo-quota", "token", "create", "--ex")).toBe("--expires");
    expect(complete("milo-quota", "up", "--enforcement", "")).toBe("Enforce Shadow Off");
    expect(complete("milo-quota", "completion", "")).toMatch(/^bash zsh fish/);
    expect(complete("milo-quota", "up", "--in-memory", "--enforcement", "S")).toBe("Shadow");
  });

  it("knows all commands for the other shells, and no other shells", async () => {
    const [zsh, fish, other, help] = await Promise.all([
      world.run(["completion", "zsh"]),
      world.run(["completion", "fish"]),
      world.run(["completion", "tcsh"]),
      world.run(["--help"]),
    ]);
    const commands = [...help.out.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    expect(commands.length).toBeGreaterThan(12);
    for (const name of commands) {
      expect(zsh.out).toContain(`'${name}:`);
      expect(fish.out).toContain(`-f -a ${name} `);
    }
    expect(zsh.out).toMatch(/^#compdef milo-quota/);
    expect(zsh.out).toContain("\"completion\") entries=('bash:' 'zsh:' 'fish:' ");
    expect(fish.out).toContain("'__fish_seen_subcommand_from completion' -f -a zsh ");
    expect(zsh.out).toContain('"up --enforcement") entries=(Enforce Shadow Off) ;;');
    expect(fish.out).toContain("-l enforcement -x -a 'Enforce Shadow Off' ");
    expect(other).toMatchObject({ status: 2, err: expect.stringContaining("Allowed choices are bash, zsh, fish") });
  });
});
