import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { loadAccess, type Surroundings } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
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

function access(exec: object, cluster: object = {}, surroundings: Partial<Surroundings> = {}) {
  const config = {
    clusters: [{ name: "c", cluster: { server: "https://cluster:6443", ...cluster } }],
    users: [{ name: "u", user: { exec: { apiVersion: v1, interactiveMode: "Never", ...exec } } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, JSON.stringify(config));
  const around = { env: process.env, home: folder, clock, hasTerminal: false, ...surroundings };
  return loadAccess({ kubeconfig }, around);
}

/** A plug-in without a program: it says this. */
const saying = (status: object | undefined, apiVersion = v1): Partial<Surroundings> => ({
  run: async () => JSON.stringify({ kind: "ExecCredential", apiVersion, ...(status === undefined ? {} : { status }) }),
});

describe("an exec plug-in", () => {
  it("is a program that is given what it asked for, and is run where its file is", async () => {
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

  it("is asked once for any number of requests, and again when its answer has expired", async () => {
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

  it("is asked again when the server does not believe it", async () => {
    let runs = 0;
    const run = async (): Promise<string> => {
      runs += 1;
      return JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: `t${runs}` } });
    };
    const plugin = access({ command: "x" }, {}, { run });
    const first = await plugin.identity(signal);
    plugin.refused(first);
    plugin.refused({ headers: {} }); // an older one: nothing to do with what we have now
    expect((await plugin.identity(signal)).headers["authorization"]).toBe("Bearer t2");
    expect(runs).toBe(2);
  });

  it("may give a certificate", async () => {
    const status = { clientCertificateData: pair.certificatePem, clientKeyData: pair.privateKeyPem };
    expect((await access({ command: "x" }, {}, saying(status)).identity(signal)).certificate).toEqual(pair);
  });

  it("is told whether it can ask somebody", async () => {
    const told: boolean[] = [];
    const around = (hasTerminal: boolean): Partial<Surroundings> => ({
      hasTerminal,
      run: async (_exec, { isInteractive }) => {
        told.push(isInteractive);
        return JSON.stringify({ kind: "ExecCredential", apiVersion: v1, status: { token: "t" } });
      },
    });
    for (const mode of ["Never", "IfAvailable", "Always"])
      await access({ command: "x", interactiveMode: mode }, {}, around(true)).identity(signal);
    await access({ command: "x", interactiveMode: "IfAvailable" }, {}, around(false)).identity(signal);
    expect(told).toEqual([false, true, true, false]);
  });

  const faults: Record<string, [exec: object, around: () => Partial<Surroundings>, says: string | RegExp]> = {
    "that is not installed": [
      { command: "no-such-plugin", installHint: "brew install it\u001b[1m" },
      () => ({}),
      /exec: executable no-such-plugin not found[\s\S]*not installed[\s\S]*brew install itU\+001B\[1m/,
    ],
    "that fails": [{ command: "false" }, () => ({}), "exec: executable false failed with exit code 1"],
    "that says nothing": [{ command: "true" }, () => ({}), "decoding stdout: Unexpected end of JSON input"],
    "that says something else": [
      { command: "echo", args: ["[]"] },
      () => ({}),
      "decoding stdout: it holds no ExecCredential",
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
    "with a certificate that is none": [
      { command: "x" },
      () => saying({ clientCertificateData: "c", clientKeyData: "k" }),
      "failed parsing client key/certificate: ",
    ],
    "with an expiry that is no time": [
      { command: "x" },
      () => saying({ token: "t", expirationTimestamp: "soon" }),
      'expirationTimestamp "soon" is no time',
    ],
    "that must ask somebody who is not there": [
      { command: "x", interactiveMode: "Always" },
      () => saying({ token: "t" }),
      "exec plugin cannot support interactive mode: standard input is not a terminal",
    ],
  };
  it.each(Object.entries(faults))("%s is an error that says so", async (_name, [exec, around, says]) => {
    await expect(access(exec, {}, around()).identity(signal)).rejects.toThrow(says);
  });
});
