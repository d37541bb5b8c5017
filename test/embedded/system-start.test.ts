import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import { ApiClient } from "./api-client.ts";
import { RunningProgram } from "./running-program.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

/** Whether this machine has the address ::1, which it has not if IPv6 is disabled. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1") === true);
}

describe("milo-quota up", () => {
  let program: ServerProgram;
  let folder: string;
  let running: RunningProgram[];
  let clients: ApiClient[];

  beforeAll(async () => {
    program = await buildServer("packages/quota/src/main.ts");
  }, 60_000);
  afterAll(() => program.remove());

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "milo-quota-start-"));
    [running, clients] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(running.map((each) => each.end("SIGKILL")));
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...flags: readonly string[]): RunningProgram => {
    const started = RunningProgram.ofBundle(program, ["up", ...flags]);
    running.push(started);
    return started;
  };
  const open = (kubeconfig: string): ApiClient => {
    const client = ApiClient.byKubeconfig(kubeconfig);
    clients.push(client);
    return client;
  };

  it("prints its address, how to use it and how to stop it", async () => {
    const data = join(folder, "data");
    const welcome = await run("--port", "0", "--data-dir", data).welcome();
    expect(welcome).toMatch(
      /^Milo Quota is running at https:\/\/127\.0\.0\.1:\d+ \(data in .*data; ready in \d+ ms\)\.$/m,
    );
    expect(welcome).toContain(`export KUBECONFIG=${join(data, "kubeconfig")}`);
    for (const [, file = ""] of welcome.matchAll(/kubectl \w+ -f (\S+)/g)) expect(existsSync(file), file).toBe(true);
    const { code, text } = await open(join(data, "kubeconfig")).get("/readyz");
    expect([code, text]).toEqual([200, "ok"]);
  });

  it("reports that its port is in use and what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const data = join(folder, "data");
    const { code, stderr, stdout } = await run("--port", `${port}`, "--data-dir", data).ending;
    await new Promise((resolve) => other.close(resolve));
    expect(stderr).toBe(
      `milo-quota: port ${port} of 127.0.0.1 is in use by another program; stop that program, or choose another port with --port\n`,
    );
    expect([code, stdout]).toEqual([2, ""]);
    await run("--port", "0", "--data-dir", data).welcome();
  });

  it("reports that its data folder is in use", async () => {
    const data = join(folder, "data");
    await run("--port", "0", "--data-dir", data).welcome();
    const { code, stderr } = await run("--port", "0", "--data-dir", data).ending;
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(/^milo-quota: .*in use/);
    expect((await open(join(data, "kubeconfig")).get(configMaps)).code).toBe(200);
  });

  const wrong: Record<string, [flags: readonly string[], expectedMessage: RegExp]> = {
    "an invalid port": [["--port", "many"], /must be a port number from 0 to 65535/],
    "an unknown log level": [["--log-level", "loud"], /Allowed choices are/],
    "an address of another machine": [
      ["--bind", "192.0.2.1"],
      /192\.0\.2\.1 is not an address of this machine; choose one with --bind/,
    ],
    "an unknown host name": [["--bind", "unknown.invalid"], /the host name unknown\.invalid cannot be resolved/],
    "an empty token": [["--token="], /must not be empty or contain spaces/],
    "a short token": [["--token", "abc"], /must have at least 16 characters, such as one from `openssl rand -hex 32`/],
    "an empty address": [["--bind="], /must not be empty/],
    "an empty kubeconfig": [["--kubeconfig="], /must not be empty/],
    "an unknown flag": [["--prot", "1"], /unknown option '--prot'/],
  };
  for (const [what, [flags, expectedMessage]] of Object.entries(wrong)) {
    it(`rejects ${what}`, async () => {
      const { code, stderr } = await run("--in-memory", ...flags).ending;
      expect(code, stderr).toBe(2);
      expect(stderr).toMatch(expectedMessage);
    });
  }

  const unusable: Record<string, [flags: (folder: string) => readonly string[], expectedMessage: RegExp]> = {
    "a data folder that is a file": [
      (at) => ["--data-dir", join(at, "file")],
      /^milo-quota: the data directory .*file cannot be used: it is not a directory; choose another one with --data-dir\n$/,
    ],
    "a data folder where none can be created": [
      () => ["--data-dir", "/proc/milo-quota"],
      /^milo-quota: the data directory \/proc\/milo-quota cannot be used: it cannot be created there; choose another one with --data-dir\n$/,
    ],
    "a data folder in a file": [(at) => ["--data-dir", join(at, "file", "data")], /it is not a directory/],
    "an empty data folder name": [() => ["--data-dir="], /must not be empty/],
    "an empty token": [(at) => ["--token=", "--data-dir", join(at, "data")], /must not be empty or contain spaces/],
    "an invalid kubeconfig": [
      (at) => ["--data-dir", join(at, "data"), "--kubeconfig", join(at, "file")],
      /^milo-quota: .*file is not a kubeconfig \(it is not an object\) and was not changed; choose another file with --kubeconfig, or move/,
    ],
    "a kubeconfig in a file": [
      (at) => ["--in-memory", "--kubeconfig", join(at, "file", "config")],
      /^milo-quota: the kubeconfig .* cannot be written: /,
    ],
  };
  for (const [what, [flags, expectedMessage]] of Object.entries(unusable)) {
    it(`fails with ${what} and leaves no files`, async () => {
      writeFileSync(join(folder, "file"), "hello\n");
      const server = RunningProgram.ofBundle(program, ["up", "--port", "0", ...flags(folder)], { cwd: folder });
      running.push(server);
      const { code, stderr } = await server.ending;
      expect([code, stderr]).toEqual([2, expect.stringMatching(expectedMessage)]);
      expect(readdirSync(folder)).toEqual(["file"]);
      expect(readFileSync(join(folder, "file"), "utf8")).toBe("hello\n");
    });
  }

  it("suggests milo-quota commands if there is no kubectl", async () => {
    const data = join(folder, "a folder");
    const server = RunningProgram.ofBundle(program, ["up", "--port", "0", "--data-dir", data], { env: { PATH: "" } });
    running.push(server);
    const welcome = await server.welcome();
    expect(welcome).not.toContain("kubectl");
    expect(welcome).toContain(`export KUBECONFIG='${join(data, "kubeconfig")}'`);
    const [, file = ""] = /^ {2}node (\S+) usage$/m.exec(welcome) ?? [];
    const deps = { env: { KUBECONFIG: join(data, "kubeconfig") } };
    const used = await new RunningProgram(process.execPath, [file, "usage"], deps).ending;
    expect([used.code, used.stderr]).toEqual([0, ""]);
  });

  it.runIf(hasIpv6())("listens on IPv6 addresses", async () => {
    const data = join(folder, "data");
    const server = run("--port", "0", "--data-dir", data, "--bind", "::1");
    const welcome = await server.welcome();
    expect(welcome).toMatch(/at https:\/\/\[::1\]:\d+ /);
    expect((await open(join(data, "kubeconfig")).get("/readyz")).code).toBe(200);
  });

  it("keeps the other entries and the current context of an existing kubeconfig", async () => {
    const data = join(folder, "data");
    const kubeconfig = join(folder, "config");
    const others = [
      "# mine",
      "apiVersion: v1",
      "kind: Config",
      "clusters:",
      "- name: work",
      "  cluster: {server: https://work.example.com}",
      "contexts:",
      "- name: work",
      "  context: {cluster: work, user: admin}",
      "users:",
      "- name: admin",
      "  user: {token: secret}",
      "current-context: work",
    ].join("\n");
    writeFileSync(kubeconfig, others);
    const flags = ["--port", "0", "--data-dir", data, "--kubeconfig", kubeconfig];
    for (let starts = 0; starts < 2; starts += 1) {
      const server = run(...flags);
      const welcome = await server.welcome();
      if (/^ {2}kubectl apply/m.test(welcome)) expect(welcome).toContain("kubectl config use-context milo-quota");
      const text = readFileSync(kubeconfig, "utf8");
      for (const line of others.split("\n").filter((each) => !each.includes("{"))) expect(text).toContain(line);
      const { contexts, users } = parse(text) as Record<"contexts" | "users", readonly { readonly name: string }[]>;
      expect(contexts.map(({ name }) => name)).toEqual(["work", "milo-quota"]);
      expect(users.map(({ name }) => name)).toEqual(["admin", "milo-quota-admin"]);
      expect(users[0]).toEqual({ name: "admin", user: { token: "secret" } });
      expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
      expect((await server.end("SIGTERM")).code).toBe(0);
    }
  });

  it("in memory writes only the requested kubeconfig, readable only by its owner", async () => {
    const kubeconfig = join(folder, "access", "config");
    const flags = ["--in-memory", "--port", "0", "--token", "a-token-of-my-own", "--kubeconfig", kubeconfig];
    const first = run(...flags);
    expect(await first.welcome()).toContain("data in memory");
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    const [user] = JSON.parse(readFileSync(kubeconfig, "utf8")).users;
    expect(user.user).toEqual({ token: "a-token-of-my-own" });
    expect((await open(kubeconfig).create(configMaps, { metadata: { name: "kept-nowhere" } })).code).toBe(201);
    const stranger = await open(kubeconfig).as("an-unknown-token");
    clients.push(stranger);
    expect((await stranger.get(configMaps)).code).toBe(401);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    expect((await first.end("SIGTERM")).code).toBe(0);
    await run(...flags).welcome();
    expect((await open(kubeconfig).get(`${configMaps}/kept-nowhere`)).code).toBe(404);
    expect(readdirSync(folder)).toEqual(["access"]);
  });

  it("keeps the administrator's token and objects over a restart", async () => {
    const data = join(folder, "data");
    const flags = ["--port", "0", "--data-dir", data];
    const first = run(...flags);
    await first.welcome();
    const tokenOf = (): string => JSON.parse(readFileSync(join(data, "kubeconfig"), "utf8")).users[0].user.token;
    const token = tokenOf();
    await open(join(data, "kubeconfig")).create(configMaps, { metadata: { name: "kept" } });
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await first.end("SIGINT");
    await run(...flags).welcome();
    expect(tokenOf()).toBe(token);
    expect((await open(join(data, "kubeconfig")).get(`${configMaps}/kept`)).code).toBe(200);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`shuts down within two seconds of ${signal} with open watches`, async () => {
      const kubeconfig = join(folder, "kubeconfig");
      const server = run("--in-memory", "--log-level", "info", "--port", "0", "--kubeconfig", kubeconfig);
      await server.welcome();
      const client = open(kubeconfig);
      const abort = lightAbortController();
      const paths = [configMaps, "/api/v1/namespaces", "/apis/quota.miloapis.com/v1alpha1/resourceclaims"];
      const watches = await Promise.all(paths.map((path) => client.watch(path, abort.signal)));
      await client.create(configMaps, { metadata: { name: "seen" } });
      const beganMs = performance.now();
      const { code, stderr, stdout } = await server.end(signal);
      expect(performance.now() - beganMs).toBeLessThan(2_000);
      expect(code, stderr).toBe(0);
      const lines = stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, string>);
      expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
        "info enforcement is Enforce",
        expect.stringMatching(/^info serving at https:\/\/127\.0\.0\.1:\d+$/),
        "info stopping",
        "info stopped",
      ]);
      expect(stdout).toMatch(/Stopping \.\.\.\n$/);
      const ends = await Promise.allSettled(watches.map(({ ended }) => ended));
      for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(ConnectionFailed);
      expect(watches[0]?.lines.some((line) => line.includes('"seen"'))).toBe(true);
    });
  }
});
