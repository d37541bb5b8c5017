import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { type ConfigOverrides, loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";

const authority = createAuthority("test", { nowMs: 1_700_000_000_000, lifetimeMs: 1_000_000 });
const names = { commonName: "client", dnsNames: [], ipAddresses: [] };
const pair = issueServerCertificate(authority, names, { nowMs: 1_700_000_000_000, lifetimeMs: 1_000_000 });
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const { signal } = new AbortController();

let folder: string;
let clock: FakeClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "milo-quota-kubeconfig-"));
  clock = new FakeClock(1_700_000_000_000);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : stringify(content));
  return path;
}

function load(choice: ConfigOverrides = {}, env: Record<string, string> = {}): ClusterAccess {
  return loadAccess(choice, {
    env: { PATH: process.env["PATH"], ...env },
    home: folder,
    clock,
    hasTerminal: false,
    serviceAccountDir: join(folder, "serviceaccount"),
  });
}

/** A complete kubeconfig with the given parts. */
function config(user: object, cluster: object = {}, context: object = {}): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://cluster:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u", ...context } }],
    "current-context": "x",
  };
}

const identityOf = (user: object, cluster: object = {}): Promise<Identity> => {
  file(".kube/config", config(user, cluster));
  return load().identity(signal);
};

describe("the identity", () => {
  const cases: Record<string, [user: () => object, identity: () => Partial<Identity>]> = {
    "is a token": [() => ({ token: "secret" }), () => ({ headers: { authorization: "Bearer secret" } })],
    "is a token that looks like a number": [
      () => ({ token: 1234567890123456789n }),
      () => ({ headers: { authorization: "Bearer 1234567890123456789" } }),
    ],
    "is a token in a file next to the kubeconfig": [
      () => {
        file(".kube/token", "from-file\n");
        return { tokenFile: "token" };
      },
      () => ({ headers: { authorization: "Bearer from-file" } }),
    ],
    "is the token of the file if both are given": [
      () => ({ token: "inline", tokenFile: file("token", "from-file") }),
      () => ({ headers: { authorization: "Bearer from-file" } }),
    ],
    "is the inline token if the token file cannot be read": [
      () => ({ token: "inline", tokenFile: join(folder, "none") }),
      () => ({ headers: { authorization: "Bearer inline" } }),
    ],
    "is a password": [
      () => ({ username: "ann", password: "pass" }),
      () => ({ headers: { authorization: `Basic ${base64("ann:pass")}` } }),
    ],
    "is an inline certificate": [
      () => ({ "client-certificate-data": base64(pair.certificatePem), "client-key-data": base64(pair.privateKeyPem) }),
      () => ({ headers: {}, certificate: pair }),
    ],
    "is a certificate in other files": [
      () => ({
        "client-certificate": file("client.crt", pair.certificatePem),
        "client-key": file("client.key", pair.privateKeyPem),
      }),
      () => ({
        certificate: { certificatePem: pair.certificatePem.trim(), privateKeyPem: pair.privateKeyPem.trim() },
      }),
    ],
    "can impersonate a user": [
      () => ({
        token: "t",
        as: "bob",
        "as-uid": "7",
        "as-groups": ["g1", "g2"],
        "as-user-extra": { "example.com/Reason%": ["a"] },
      }),
      () => ({
        headers: {
          "impersonate-user": "bob",
          "impersonate-uid": "7",
          "impersonate-group": ["g1", "g2"],
          "impersonate-extra-example.com%2freason%25": ["a"],
          authorization: "Bearer t",
        },
      }),
    ],
    "is anonymous by default": [() => ({}), () => ({ headers: {} })],
  };
  it.each(Object.entries(cases))("%s", async (_name, [user, identity]) => {
    expect(await identityOf(user())).toMatchObject(identity());
  });

  it("is not sent over plain HTTP", async () => {
    expect((await identityOf({ token: "secret" }, { server: "http://cluster:8080" })).headers).toEqual({});
    expect((await identityOf({ token: "secret" }, { server: "localhost:8080" })).headers).toEqual({});
  });

  it("is cached until a file changes", async () => {
    const token = file("token", "one");
    file(".kube/config", config({ tokenFile: token }));
    const access = load();
    const first = await access.identity(signal);
    file("token", "two");
    expect(await access.identity(signal)).toBe(first);
    clock.advance(60_000);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer two" });
  });

  it("is read again when the server rejects it", async () => {
    file(".kube/config", config({ tokenFile: file("token", "one") }));
    const access = load();
    const rejected = await access.identity(signal);
    file("token", "two");
    access.invalidate(rejected);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer two" });
  });

  it("survives a token file that is missing for a moment", async () => {
    file(".kube/config", config({ tokenFile: file("token", "one") }));
    const access = load();
    await access.identity(signal);
    rmSync(join(folder, "token"));
    clock.advance(60_000);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer one" });
  });
});

describe("the server", () => {
  it("is that of the context, with the TLS settings of its cluster", async () => {
    const cluster = {
      server: "https://cluster:6443/prefix",
      "tls-server-name": "real.name",
      "certificate-authority-data": base64(authority.certificatePem),
      "proxy-url": "http://proxy:3128",
    };
    file(".kube/config", config({ token: "t" }, cluster, { namespace: "team" }));
    const access = load();
    expect([access.server.href, access.serverName, access.proxy?.href]).toEqual([
      "https://cluster:6443/prefix",
      "real.name",
      "http://proxy:3128/",
    ]);
    expect([access.namespace, access.verifiesServer]).toEqual(["team", true]);
    expect((await access.identity(signal)).authorityPem).toBe(authority.certificatePem);
  });

  it("is not verified with insecure-skip-tls-verify", () => {
    file(".kube/config", config({}, { "insecure-skip-tls-verify": true }));
    expect(load().verifiesServer).toBe(false);
  });

  it("can be overridden by context, namespace and file", () => {
    const two = config({});
    const contexts = ["x", "y"].map((name) => ({ name, context: { cluster: name, user: "u", namespace: name } }));
    const clusters = ["x", "y"].map((name) => ({ name, cluster: { server: `https://${name}` } }));
    const path = file("other", { ...two, contexts, clusters });
    expect(load({ kubeconfig: path }).server.host).toBe("x");
    const chosen = load({ kubeconfig: path, context: "y" });
    expect([chosen.server.host, chosen.namespace]).toEqual(["y", "y"]);
    expect(load({ kubeconfig: path, namespace: "n" }).namespace).toBe("n");
  });

  it("is merged from all files of KUBECONFIG; the first entry of each name wins", async () => {
    const first = file("first", {
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: { as: "bob" } }],
    });
    const second = file("second", config({ token: "t" }, {}, { namespace: "ignored" }));
    const access = load({}, { KUBECONFIG: [first, join(folder, "missing"), "", second, first].join(delimiter) });
    expect([access.server.host, access.namespace]).toEqual(["cluster:6443", "default"]);
    expect((await access.identity(signal)).headers).toEqual({ "impersonate-user": "bob" });
  });

  it("is the in-cluster one if there is no kubeconfig", async () => {
    file("serviceaccount/token", "pod-token");
    file("serviceaccount/ca.crt", authority.certificatePem);
    file("serviceaccount/namespace", "pod-namespace\n");
    const access = load({}, { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" });
    expect([access.server.href, access.namespace]).toEqual(["https://[fd00::1]/", "pod-namespace"]);
    expect(await access.identity(signal)).toMatchObject({
      headers: { authorization: "Bearer pod-token" },
      authorityPem: authority.certificatePem.trim(),
    });
    file("serviceaccount/token", "renewed");
    clock.advance(60_000);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer renewed" });
  });
});

describe("a proxy of the environment", () => {
  const proxy = { HTTPS_PROXY: "http://proxy:3128" };
  const cases: Record<string, [server: string, env: Record<string, string>, through: string | undefined]> = {
    "is used": ["https://cluster:6443", proxy, "http://proxy:3128/"],
    "may have a lower-case variable and no scheme": ["https://cluster", { https_proxy: "proxy:1" }, "http://proxy:1/"],
    "is not used without TLS": ["http://cluster", proxy, undefined],
    "is not used on this machine": ["https://127.0.0.1:6443", proxy, undefined],
    "is not used for a name in NO_PROXY": ["https://cluster:6443", { ...proxy, NO_PROXY: "a,cluster" }, undefined],
    "is not used below a domain": ["https://api.example.com", { ...proxy, NO_PROXY: "example.com" }, undefined],
    "is used for a domain if only its subdomains are exempt": [
      "https://example.com",
      { ...proxy, NO_PROXY: ".example.com" },
      "http://proxy:3128/",
    ],
    "is not used in a network": ["https://10.1.2.3", { ...proxy, no_proxy: "10.0.0.0/8" }, undefined],
    "is used outside of it": ["https://11.1.2.3", { ...proxy, no_proxy: "10.0.0.0/8,bad/99" }, "http://proxy:3128/"],
    "is not used for an exempt IPv6 network": ["https://[fd00::1]", { ...proxy, NO_PROXY: "fd00::/8" }, undefined],
    "is not used for a port": ["https://cluster:6443", { ...proxy, NO_PROXY: "cluster:6443" }, undefined],
    "is used for another port": ["https://cluster:6444", { ...proxy, NO_PROXY: "cluster:6443" }, "http://proxy:3128/"],
    "is not used for anything": ["https://cluster", { ...proxy, NO_PROXY: "*" }, undefined],
  };
  it.each(Object.entries(cases))("%s", (_name, [server, env, through]) => {
    file(".kube/config", config({}, { server }));
    expect(load({}, env).proxy?.href).toBe(through);
  });

  it("is overridden by the cluster's proxy and must be a URL", () => {
    file(".kube/config", config({}, { "proxy-url": "http://own:1" }));
    expect(load({}, proxy).proxy?.host).toBe("own:1");
    file(".kube/config", config({}));
    expect(() => load({}, { HTTPS_PROXY: "ftp://x" })).toThrow(
      "the environment variable HTTPS_PROXY is not a valid proxy URL",
    );
  });
});

describe("loading rejects", () => {
  const cases: Record<string, [content: () => unknown, message: string | RegExp]> = {
    "an empty configuration": [
      () => undefined,
      /no configuration has been provided: .*config does not exist.*name a file with --kubeconfig/,
    ],
    "a file that is not YAML": [() => "a: [", /error loading config file ".*config": yaml: /],
    "a file of another kind": [() => ({ kind: "Pod", apiVersion: "v1" }), "kind: must be Config, not Pod"],
    "another version": [() => ({ kind: "Config", apiVersion: "v2" }), "apiVersion: must be v1, not v2"],
    "a list of the wrong type": [() => ({ ...config({}), users: { u: {} } }), "users: must be a list"],
    "a string of the wrong type": [() => config({ token: ["a"] }), "users[0].user.token: must be a string"],
    "a boolean of the wrong type": [
      () => config({}, { "insecure-skip-tls-verify": "maybe" }),
      "clusters[0].cluster.insecure-skip-tls-verify: must be true or false",
    ],
    "a duplicate name": [
      () => ({ ...config({}), users: [{ name: "u" }, { name: "u" }] }),
      'users[1].name: duplicate name "u" in list',
    ],
    "no current context": [
      () => ({ ...config({}), "current-context": "" }),
      /no current context is set in .*; choose one with "kubectl config use-context" \(available contexts: x\)/,
    ],
    "a missing context": [
      () => ({ ...config({}), "current-context": "y" }),
      /context "y" does not exist in .*config; available contexts: x/,
    ],
    "a missing user": [
      () => config({}, {}, { user: "v" }),
      'invalid configuration: user "v" was not found for context "x"',
    ],
    "a missing cluster": [() => config({}, {}, { cluster: "d" }), 'cluster "d" was not found for context "x"'],
    "a context without user and cluster": [
      () => ({ ...config({}), contexts: [{ name: "x" }] }),
      'invalid configuration: [user was not specified for context "x", cluster was not specified for context "x"]',
    ],
    "an invalid namespace": [
      () => config({}, {}, { namespace: "A_b" }),
      'namespace "A_b" for context "x" does not conform',
    ],
    "a cluster without a server": [() => config({}, { server: "" }), 'no server found for cluster "c"'],
    "a server that is not a URL": [
      () => config({}, { server: "https://" }),
      'the server "https://" of cluster "c" is not a valid URL',
    ],
    "a proxy with an unsupported scheme": [
      () => config({}, { "proxy-url": "ftp://p" }),
      'invalid \'proxy-url\' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5',
    ],
    "two authorities": [
      () =>
        config({}, { "certificate-authority": file("ca", "x"), "certificate-authority-data": base64("-----BEGIN ") }),
      "certificate-authority-data and certificate-authority are both specified for c",
    ],
    "an authority with insecure-skip-tls-verify": [
      () => config({}, { "insecure-skip-tls-verify": true, "certificate-authority-data": base64("-----BEGIN ") }),
      "specifying a root certificates file with the insecure flag is not allowed",
    ],
    "a missing authority file": [
      () => config({}, { "certificate-authority": "none" }),
      /unable to read certificate-authority .*none for c due to no such file or directory/,
    ],
    "an authority that is not a certificate": [
      () => config({}, { "certificate-authority-data": base64("hello") }),
      "certificate-authority-data of c contains no PEM certificate",
    ],
    "data that is not base64": [
      () => config({ "client-key-data": "%%%" }),
      "users[0].user.client-key-data: is no valid base64",
    ],
    "a certificate without a key": [
      () => config({ "client-certificate-data": base64("x") }),
      "client-key-data or client-key must be specified for u",
    ],
    "a missing key file": [
      () => config({ "client-certificate-data": base64("x"), "client-key": "none" }),
      /unable to read client-key .*none for u due to no such file or directory/,
    ],
    "a missing token file": [() => config({ tokenFile: "none" }), /unable to read tokenFile .*none for u/],
    "two authentication methods": [
      () => config({ token: "t", username: "n" }),
      "more than one authentication method found for u; found [token basicAuth], only one is allowed",
    ],
    "impersonated groups without a user": [
      () => config({ "as-groups": ["g"] }),
      "requesting uid, groups or user-extra for u without impersonating a user",
    ],
    "an auth provider": [
      () => config({ "auth-provider": { name: "gcp" } }),
      'the auth provider "gcp" of u is not supported',
    ],
    "an exec plug-in without a command": [
      () => config({ exec: { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" } }),
      "command must be specified for u to use exec authentication plugin",
    ],
    "an exec plug-in of v1 without interactiveMode": [
      () => config({ exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x" } }),
      "interactiveMode must be specified for u to use exec authentication plugin",
    ],
    "an exec plug-in of an unknown version": [
      () => config({ exec: { apiVersion: "client.authentication.k8s.io/v9", command: "x", interactiveMode: "Never" } }),
      'exec plugin: invalid apiVersion "client.authentication.k8s.io/v9"',
    ],
  };
  it.each(Object.entries(cases))("%s", (_name, [content, message]) => {
    const written = content();
    if (written !== undefined) file(".kube/config", written);
    expect(() => load()).toThrow(message);
  });

  it("a missing file that was named explicitly", () => {
    expect(() => load({ kubeconfig: join(folder, "none") })).toThrow(/the kubeconfig file ".*none" does not exist/);
  });

  it("a folder where a file should be", () => {
    mkdirSync(join(folder, ".kube", "config"), { recursive: true });
    expect(() => load()).toThrow(/error loading config file ".*config": it is a directory/);
  });

  it("a certificate that does not match its key, on first use", async () => {
    const other = issueServerCertificate(authority, names, { nowMs: 1_700_000_000_000, lifetimeMs: 1_000_000 });
    const user = {
      "client-certificate-data": base64(pair.certificatePem),
      "client-key-data": base64(other.privateKeyPem),
    };
    await expect(identityOf(user)).rejects.toThrow(/the client certificate and key of a user in .* cannot be used: /);
  });
});
