import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { type LoadAccessDeps, loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const v1 = "client.authentication.k8s.io/v1";
const { signal } = new AbortController();
const lifetime = { nowMs: 1_700_000_000_000, lifetimeMs: 1_000_000 };
const authority = createAuthority("test", lifetime);
const pair = issueServerCertificate(authority, { commonName: "me", dnsNames: [], ipAddresses: [] }, lifetime);

let folder: string;
let clock: FakeClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "milo-quota-exec-"));
  clock = new FakeClock(lifetime.nowMs);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function access(exec: object, cluster: object = {}, overrides: Partial<LoadAccessDeps> = {}) {
  const config = {
    clusters: [{ name: "c", cluster: { server: "https://cluster:6443", ...cluster } }],
    users: [{ name: "u", user: { exec: { apiVersion: v1, interactiveMode: "Never", ...exec } } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, JSON.stringify(config));
  const deps = { env: process.env, home: folder, clock, hasTerminal: false, ...overrides };
  return loadAccess({ kubeconfig }, deps);
}

/** Replaces the program of the plug-in by this output. */
const saying = (status: object | undefined, apiVersion = v1): Partial<LoadAccessDeps> => ({
  run: async () => JSON.stringify({ kind: "ExecCredential", apiVersion, ...(status === undefined ? {} : { status }) }),
});

describe("an exec plug-in", () => {
  it("runs in the folder of the kubeconfig with the configured arguments and environment", async () => {
    const program = join(folder, "plugin.sh");
    const credential = `{"kind":"ExecCredential","apiVersion":"${v1}","status":{"token":"'$1-$OWN'"}}`;
    writeFileSync(program, `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > "${folder}/info"\necho '${credential}'\n`);
    chmodSync(program, 0o755);
    const exec = {
      command: "./plugin.sh",
      args: ["arg"],
      env: [{ name: "OWN", value: "env" }],
      provideClusterInfo: true,
    };
    const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: 7 } }];
    const { headers } = await access(exec, { extensions, "tls-server-name": "n" }).identity(signal);
    expect(headers).toEqual({ authorization: "Bearer arg-env" });
    expect(JSON.parse(readFileSync(join(folder, "info"), "utf8"))).toEqual({
      kind: "ExecCredential",
      apiVersion: v1,
      spec: {
        interactive: false,
        cluster: { server: "https://cluster:6443", "tls-server-name": "n", config: { audience: 7 } },
      },
    });
  });

  it("runs once for many requests, and again when its credential has expired", async () => {
    let runs = 0;
    const run = async (): Promise<string> => {
      runs += 1;
      const status = { token: `t${runs}`, expirationTimestamp: "2023-11-14T22:14:20Z" }; // in a minute
      return JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status });
    };
    const plugin = access({ command: "x" }, {}, { run });
    const [first, second] = await Promise.all([plugin.identity(signal), plugin.identity(signal)]);
    expect([first.headers["authorization"], second.headers["authorization"], runs]).toEqual([
      "Bearer t1",
      "Bearer t1",
      1,
    ]);
    clock.advance(61_000);
    expect((await plugin.identity(signal)).headers["authorization"]).toBe("Bearer t2");
  });

  it("runs again when the server rejects its credential", async () => {
    let runs = 0;
    const run = async (): Promise<string> => {
      runs += 1;
      return JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: `t${runs}` } });
    };
    const plugin = access({ command: "x" }, {}, { run });
    const first = await plugin.identity(signal);
    plugin.invalidate(first);
    plugin.invalidate({ headers: {} }); // an older identity, which is ignored
    expect((await plugin.identity(signal)).headers["authorization"]).toBe("Bearer t2");
    expect(runs).toBe(2);
  });

  it("can return a client certificate", async () => {
    const status = { clientCertificateData: pair.certificatePem, clientKeyData: pair.privateKeyPem };
    expect((await access({ command: "x" }, {}, saying(status)).identity(signal)).certificate).toEqual(pair);
  });

  it("receives whether it can prompt the user", async () => {
    const interactive: boolean[] = [];
    const deps = (hasTerminal: boolean): Partial<LoadAccessDeps> => ({
      hasTerminal,
      run: async (_exec, { isInteractive }) => {
        interactive.push(isInteractive);
        return JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: "t" } });
      },
    });
    for (const mode of ["Never", "IfAvailable", "Always"])
      await access({ command: "x", interactiveMode: mode }, {}, deps(true)).identity(signal);
    await access({ command: "x", interactiveMode: "IfAvailable" }, {}, deps(false)).identity(signal);
    expect(interactive).toEqual([false, true, true, false]);
  });

  const faults: Record<string, [exec: object, deps: () => Partial<LoadAccessDeps>, message: string | RegExp]> = {
    "that is not installed": [
      { command: "no-such-plugin", installHint: "brew install it\u001b[1m" },
      () => ({}),
      /exec: executable no-such-plugin not found[\s\S]*not installed[\s\S]*brew install itU\+001B\[1m/,
    ],
    "that fails": [{ command: "false" }, () => ({}), "exec: executable false failed with exit code 1"],
    "without output": [{ command: "true" }, () => ({}), "decoding stdout: Unexpected end of JSON input"],
    "with another kind of output": [
      { command: "echo", args: ["[]"] },
      () => ({}),
      "decoding stdout: it contains no ExecCredential",
    ],
    "of another version": [
      { command: "x" },
      () => saying({ token: "t" }, "client.authentication.k8s.io/v1beta1"),
      `exec plugin is configured to use API version ${v1}, plugin returned version client.authentication.k8s.io/v1beta1`,
    ],
    "without a status": [{ command: "x" }, () => saying(undefined), "exec plugin didn't return a status field"],
    "without credentials": [{ command: "x" }, () => saying({}), "exec plugin didn't return a token or cert/key pair"],
    "with half a certificate": [
      { command: "x" },
      () => saying({ clientKeyData: "k" }),
      "exec plugin returned only certificate or key, not both",
    ],
    "with an invalid certificate": [
      { command: "x" },
      () => saying({ clientCertificateData: "c", clientKeyData: "k" }),
      "failed parsing client key/certificate: ",
    ],
    "with an invalid expiry": [
      { command: "x" },
      () => saying({ token: "t", expirationTimestamp: "soon" }),
      'expirationTimestamp "soon" is not a valid time',
    ],
    "that requires a terminal where there is none": [
      { command: "x", interactiveMode: "Always" },
      () => saying({ token: "t" }),
      "exec plugin cannot support interactive mode: standard input is not a terminal",
    ],
  };
  it.each(Object.entries(faults))("%s fails with a clear error", async (_name, [exec, deps, message]) => {
    await expect(access(exec, {}, deps()).identity(signal)).rejects.toThrow(message);
  });
});
