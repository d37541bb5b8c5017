import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CliTestEnv, type CommandResult } from "./cli-test-env.ts";
import { ClusterClient, hasCondition } from "./cluster-client.ts";

let env: CliTestEnv;
let client: ClusterClient;
const tenantApi = "apiVersion: resourcemanager.miloapis.com/v1alpha1";
const json = ({ out }: CommandResult) => JSON.parse(out);

/** The administrator's. */
const token = (): string => parse(readFileSync(env.kubeconfig, "utf8")).users[0].user.token;

beforeAll(async () => {
  env = await CliTestEnv.build();
  await env.startServer();
  client = new ClusterClient(env.kubeconfig);
}, 120_000);

afterAll(async () => {
  await client?.close();
  await env?.stop();
});

describe("server selection", () => {
  it("accepts a server and a token, and verifies the certificate", async () => {
    const named = ["usage", "--server", env.url, "--token", token()];
    const cluster = parse(readFileSync(env.kubeconfig, "utf8")).clusters[0].cluster;
    const authority = env.writeFile("ca.pem", Buffer.from(cluster["certificate-authority-data"], "base64").toString());
    const [trusted, blind, distrusted] = await Promise.all([
      env.run([...named, "--certificate-authority", authority]),
      env.run([...named, "--insecure-skip-tls-verify"]),
      env.run(named),
    ]);
    expect([trusted.status, blind.status]).toEqual([0, 0]);
    expect(distrusted).toMatchObject({
      status: 3,
      err: expect.stringMatching(/cannot verify the certificate of the server at /),
    });
    expect(distrusted.err).toContain("--insecure-skip-tls-verify");
  });

  it("uses the kubeconfig in the current directory, and says so, unless another one is selected", async () => {
    const directory = mkdtempSync(join(env.directory, "local-"));
    mkdirSync(join(directory, ".milo-quota"));
    writeFileSync(join(directory, ".milo-quota/kubeconfig"), readFileSync(env.kubeconfig));
    const [local, other] = await Promise.all([
      env.run(["usage"], { directory }),
      env.run(["usage"], { directory, env: { KUBECONFIG: env.kubeconfig } }),
    ]);
    expect(local).toMatchObject({ status: 0, err: "Using .milo-quota/kubeconfig from the current directory.\n" });
    expect(other).toMatchObject({ status: 0, err: "" });
  });

  const wrong: Record<string, [args: () => string[], status: number, message: RegExp]> = {
    "no configuration": [() => [], 3, /no configuration has been provided.*\n`milo-quota up` starts a local server/],
    "a missing kubeconfig": [() => ["--kubeconfig", "nope"], 3, /"nope" does not exist/],
    "an unknown context": [() => ["--kubeconfig", env.kubeconfig, "--context", "x"], 3, /context "x" does not exist/],
    "a server that is not a URL": [() => ["--server", "::", "--token", "t"], 2, /--server :: is not a URL/],
    "a token over plain HTTP": [
      () => ["--server", "http://x", "--token", "t"],
      2,
      /refusing to send a token over plain HTTP; use https:\/\//,
    ],
    "a missing CA certificate": [
      () => ["--kubeconfig", env.kubeconfig, "--certificate-authority", "nope.pem"],
      2,
      /cannot read --certificate-authority nope.pem: no such file/,
    ],
    "an invalid token": [
      () => ["--kubeconfig", env.kubeconfig, "--token", "wrong"],
      4,
      /rejects your credentials: Unauthorized\nThe token may have expired/,
    ],
    "an unknown project": [() => ["--kubeconfig", env.kubeconfig, "--project", "nope"], 5, /project nope/],
    "an invalid project name": [
      () => ["--kubeconfig", env.kubeconfig, "--project", "a/b"],
      2,
      /"a\/b" is not a valid tenant name/,
    ],
    "an unknown output format": [() => ["-o", "xml"], 2, /Allowed choices are table, json, yaml/],
    "an invalid consumer": [() => ["--consumer", "acme"], 2, /must be Kind\/name, such as Organization\/acme-corp/],
    "an invalid timeout": [() => ["--request-timeout", "0"], 2, /must be a number of seconds from 1 to 86400/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await env.run(["usage", ...args()])).toMatchObject({
        status,
        out: "",
        err: expect.stringMatching(message),
      });
    });
  }

  it("explains that the server cannot be reached, and what to do", async () => {
    const result = await env.run(["usage", "--server", "https://127.0.0.1:1", "--token", "t"]);
    expect(result).toMatchObject({
      status: 3,
      err: expect.stringContaining("cannot connect to the server at https://127.0.0.1:1"),
    });
    expect(result.err).toContain("Is the server running? `milo-quota up` starts a local one");
  });

  it("translates system error codes", async () => {
    const [closed, unknown, silent] = await Promise.all(
      ["https://127.0.0.1:1", "https://nowhere.invalid", env.url.replace("https", "http")].map((server) =>
        env.run(["usage", "--server", server, "--kubeconfig", env.kubeconfig]),
      ),
    );
    expect(closed?.err).toContain("cannot connect to the server at https://127.0.0.1:1: connection refused\n");
    expect(unknown?.err).toMatch(/: (no such host|temporary failure in name resolution)\n/);
    expect(silent?.err).not.toMatch(/E[A-Z]{4,}/);
  });

  it("stops at the request timeout", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    const { port } = silent.address() as { port: number };
    const flags = ["--server", `http://127.0.0.1:${port}`, "--kubeconfig", env.kubeconfig, "--request-timeout", "1"];
    const result = await env.run(["usage", ...flags]);
    silent.close();
    expect(result).toMatchObject({ status: 3, err: expect.stringContaining("the command took longer than 1 s") });
  });
});

describe("a closed pipe", () => {
  it("is not an error", async () => {
    const line = `'${process.execPath}' '${env.program}' completion fish | true; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["0\n", ""]);
  });

  it("does not keep a command from finishing", async () => {
    const before = await env.runAsAdmin(["export"]);
    const line = `'${process.execPath}' '${env.program}' demo --kubeconfig '${env.kubeconfig}' | head -1; echo \${PIPESTATUS[0]}`;
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^.*\n0\n$/), ""]);
    expect((await env.runAsAdmin(["export"])).out).toBe(before.out);
  });
});

describe("milo-quota token", () => {
  it("creates tokens with the permissions of a member, lists and revokes them", async () => {
    const organization = (name: string): string => `${tenantApi}\nkind: Organization\nmetadata: { name: ${name} }\n`;
    await client.create([organization("acme"), organization("other")].join("---\n"));
    await client.waitUntil(organization("acme"), hasCondition("Ready"));
    await client.create(
      "apiVersion: iam.miloapis.com/v1alpha1\nkind: User\nmetadata: { name: alice }\nspec: { email: a@example.com }\n",
    );
    const membership = `${tenantApi}\nkind: OrganizationMembership\nmetadata: { name: alice, namespace: organization-acme }\nspec: { organizationRef: { name: acme }, userRef: { name: alice } }\n`;
    expect(await client.create(membership)).toEqual([]);
    await client.waitUntil(membership, hasCondition("Ready"));

    const created = await env.runAsAdmin([
      "token",
      "create",
      "--user",
      "alice",
      "--group",
      "devs",
      "ops",
      "--expires",
      "1h",
    ]);
    expect(created).toMatchObject({ status: 0, out: expect.stringMatching(/^mqt-\S+\n$/) });
    expect(created.err).toMatch(
      /^Created user-token-[0-9a-f]{16} for user alice, valid until \S+Z\. The token is shown only once\.\n$/,
    );
    const alice = ["--kubeconfig", env.kubeconfig, "--token", created.out.trim()];
    const [own, others, root] = await Promise.all([
      env.run(["usage", "--organization", "acme", ...alice]),
      env.run(["usage", "--organization", "other", ...alice]),
      env.run(["usage", ...alice]),
    ]);
    expect(own).toMatchObject({ status: 0, out: expect.stringContaining("No quota is granted or used yet.") });
    expect([others.status, root.status]).toEqual([4, 4]);
    expect(root.err).toContain("Ask an administrator of the server for this permission.");

    const project = `${tenantApi}\nkind: Project\nmetadata: { name: site }\nspec: { ownerRef: { kind: Organization, name: acme } }\n`;
    await client.create(project);
    await client.waitUntil(project, hasCondition("Ready"));
    const [inProject, explained, both] = await Promise.all([
      env.run(["usage", "--project", "site", ...alice]),
      env.run(["explain", "nothing", "--project", "site", ...alice]),
      env.run(["usage", "--project", "site", "--organization", "acme", ...alice]),
    ]);
    expect(inProject).toMatchObject({ status: 0, err: expect.stringContaining("Amounts are in base units") });
    expect(explained.status).toBe(5);
    expect(both).toMatchObject({ status: 0, err: "" });

    const listed = json(await env.runAsAdmin(["token", "list", "-o", "json"]));
    expect(listed.items).toMatchObject([{ user: "alice", groups: ["devs", "ops"], expired: false }]);
    expect(JSON.stringify(listed)).not.toContain(created.out.trim());
    const name = listed.items[0].name;
    expect((await env.runAsAdmin(["token", "list", "--user", "alice"])).out).toMatch(
      new RegExp(`\\n${name}   alice   devs,ops`),
    );
    expect((await env.runAsAdmin(["token", "list", "--user", "bob"])).out).toBe("No tokens found.\n");
    expect(await env.runAsAdmin(["token", "revoke", name])).toEqual({
      status: 0,
      out: `${name} of user alice revoked\n`,
      err: "",
    });
    const after = await env.run(["usage", "--organization", "acme", ...alice]);
    expect(after.status).toBe(4);
  });

  it("prints a new token as JSON, and revokes all tokens of a user", async () => {
    const result = await env.runAsAdmin(["token", "create", "--user", "ci", "-o", "json"]);
    expect(json(result)).toMatchObject({
      token: expect.stringMatching(/^mqt-/),
      user: "ci",
      groups: [],
      server: env.url,
    });
    expect(result.err).toContain("There is no User object ci: the token stays valid until it expires or is revoked.");
    await env.runAsAdmin(["token", "create", "--user", "ci"]);
    const { out } = await env.runAsAdmin(["token", "revoke", "--user", "ci"]);
    expect(out.match(/of user ci revoked/g)).toHaveLength(2);
  });

  const wrong: Record<string, [args: string[], status: number, message: RegExp]> = {
    "no user": [["create"], 2, /required option '--user <name>' not specified/],
    "a reserved name, before it looks for the User": [
      ["create", "--user", "system:admin"],
      2,
      /^milo-quota: user: Invalid value: "system:admin": .*\n$/,
    ],
    "an invalid expiry": [
      ["create", "--user", "a", "--expires", "soon"],
      2,
      /must be a duration such as 90m, 24h or 30d, or a time/,
    ],
    "an expiry in the past": [["create", "--user", "a", "--expires", "2020-01-01T00:00:00Z"], 2, /is in the past/],
    "an unknown token": [["revoke", "nope"], 5, /token nope not found/],
    "a user without tokens": [["revoke", "--user", "bob"], 5, /user bob has no tokens/],
    "neither token nor user": [["revoke"], 2, /specify either token names or --user/],
    "a namespace, which has no effect on tokens": [["list", "-n", "default"], 2, /unknown option '-n'/],
  };
  for (const [name, [args, status, message]] of Object.entries(wrong)) {
    it(`exits with ${status} on ${name}`, async () => {
      expect(await env.runAsAdmin(["token", ...args])).toMatchObject({ status, err: expect.stringMatching(message) });
    });
  }
});

describe("milo-quota version", () => {
  it("prints the version of the client, and that of a reachable server", async () => {
    const [both, value] = [await env.runAsAdmin(["version"]), await env.runAsAdmin(["version", "-o", "json"])];
    expect(both).toEqual({
      status: 0,
      out: "Client Version: 0.1.0\nServer Version: v1.34.0+milo-quota\n",
      err: "",
    });
    expect(json(value)).toMatchObject({ clientVersion: "0.1.0", serverVersion: { major: "1", minor: "34" } });
  });

  it("prints the version of the client alone without a configured server", async () => {
    expect(await env.run(["version"])).toEqual({ status: 0, out: "Client Version: 0.1.0\n", err: "" });
  });

  it("explains why the server has no version, and fails on invalid flags", async () => {
    const [unreachable, invalid] = await Promise.all([
      env.run(["version", "--server", "https://127.0.0.1:1", "--token", "t"]),
      env.run(["version", "--server", "::", "--token", "t"]),
    ]);
    expect(unreachable).toMatchObject({
      status: 0,
      out: "Client Version: 0.1.0\n",
      err: expect.stringContaining("connection refused"),
    });
    expect(invalid).toMatchObject({ status: 2, out: "", err: expect.stringContaining("--server :: is not a URL") });
  });
});

describe("a server without quota", () => {
  it("is recognized by all commands", async () => {
    const kubeconfig = join(env.directory, "bare");
    const flags = ["--in-memory", "--port", "0", "--kubeconfig", kubeconfig];
    const server = spawn(process.execPath, [env.program, "apiserver", ...flags]);
    await new Promise((serving) => server.stdout.once("data", serving));
    const runHere = (...args: string[]): Promise<CommandResult> => env.run([...args, "--kubeconfig", kubeconfig]);
    const [usage, doctor, demo, tokens] = await Promise.all([
      runHere("usage"),
      runHere("doctor"),
      runHere("demo"),
      runHere("token", "create", "--user", "a"),
    ]);
    const ended = new Promise((end) => server.once("exit", end));
    server.kill("SIGTERM");
    await ended;
    expect(usage).toMatchObject({ status: 5, err: expect.stringContaining("quota is not installed") });
    expect(doctor).toMatchObject({ status: 1, out: expect.stringContaining("PROBLEM  definitions ") });
    expect(doctor.out).toContain("resourceclaims.quota.miloapis.com is not installed");
    expect(demo).toMatchObject({
      status: 5,
      err: expect.stringContaining("With --in-memory, the demo starts its own server"),
    });
    expect(tokens).toMatchObject({ status: 5, err: expect.stringContaining("kubectl create token") });
  });
});

describe("milo-quota demo", () => {
  it("starts a temporary server if none is selected", async () => {
    const { status, out, err } = await env.run(["demo"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain("Starting a temporary server in memory.\n");
    expect(out).toContain(
      'Project demo-one-too-many: projects.resourcemanager.miloapis.com "demo-one-too-many" is forbidden: Insufficient quota resources available: resourcemanager.miloapis.com/projects for Organization "demo-corp": requested 1 project, limit 3, allocated 3, reserved 0, available 0.',
    );
    expect(out).toContain("   Project demo-one-too-many: created\n");
  });

  it("runs twice on an existing server, and leaves no objects behind", async () => {
    const before = await env.runAsAdmin(["export"]);
    for (const _ of [1, 2]) {
      expect(await env.runAsAdmin(["demo"])).toMatchObject({
        status: 0,
        out: expect.stringContaining("The objects of the demo were deleted.\n"),
      });
    }
    expect((await env.runAsAdmin(["export"])).out).toBe(before.out);
  });
});

describe("the kubectl plugin", () => {
  it("has kubectl quota as its name in help and errors", async () => {
    const program = join(env.program, "..", "kubectl-quota");
    symlinkSync(resolve(env.program), program);
    const [failed, help] = await Promise.all([
      env.run(["usage"], { program }),
      env.run(["usage", "--help"], { program }),
    ]);
    expect(failed.err).toMatch(/^kubectl quota: no configuration/);
    expect(help.out).toContain("Usage: kubectl quota usage [options]");
    expect(help.out).toContain("  kubectl quota usage --all -o json\n");
  });
});

describe("milo-quota completion", () => {
  it("completes commands and flags in bash", async () => {
    const script = env.writeFile("completion.bash", (await env.run(["completion", "bash"])).out);
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

  it("lists all commands for zsh and fish, and rejects other shells", async () => {
    const [zsh, fish, other, help] = await Promise.all([
      env.run(["completion", "zsh"]),
      env.run(["completion", "fish"]),
      env.run(["completion", "tcsh"]),
      env.run(["--help"]),
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
