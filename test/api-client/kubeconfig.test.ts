import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import {
  createAuthority,
  issueServerCertificate,
} from "@milo-quota/apiserver/http/certificates/certificate-authority.ts";
import { type AccessChoice, loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
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

function load(choice: AccessChoice = {}, env: Record<string, string> = {}): ClusterAccess {
  return loadAccess(choice, {
    env: { PATH: process.env["PATH"], ...env },
    home: folder,
    clock,
    hasTerminal: false,
    serviceAccountFolder: join(folder, "serviceaccount"),
  });
}

/** A whole file around the parts that matter. */
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

describe("who we are", () => {
  const cases: Record<string, [user: () => object, identity: () => Partial<Identity>]> = {
    "by a token": [() => ({ token: "secret" }), () => ({ headers: { authorization: "Bearer secret" } })],
    "by a token that looks like a number": [
      () => ({ token: 1234567890123456789n }),
      () => ({ headers: { authorization: "Bearer 1234567890123456789" } }),
    ],
    "by a token in a file beside the kubeconfig": [
      () => {
        file(".kube/token", "from-file\n");
        return { tokenFile: "token" };
      },
      () => ({ headers: { authorization: "Bearer from-file" } }),
    ],
    "by the file, where a token is given too": [
      () => ({ token: "inline", tokenFile: file("token", "from-file") }),
      () => ({ headers: { authorization: "Bearer from-file" } }),
    ],
    "by the token, where the file cannot be read": [
      () => ({ token: "inline", tokenFile: join(folder, "none") }),
      () => ({ headers: { authorization: "Bearer inline" } }),
    ],
    "by a password": [
      () => ({ username: "ann", password: "pass" }),
      () => ({ headers: { authorization: `Basic ${base64("ann:pass")}` } }),
    ],
    "by a certificate in the file": [
      () => ({ "client-certificate-data": base64(pair.certificatePem), "client-key-data": base64(pair.privateKeyPem) }),
      () => ({ headers: {}, certificate: pair }),
    ],
    "by a certificate in other files": [
      () => ({
        "client-certificate": file("client.crt", pair.certificatePem),
        "client-key": file("client.key", pair.privateKeyPem),
      }),
      () => ({
        certificate: { certificatePem: pair.certificatePem.trim(), privateKeyPem: pair.privateKeyPem.trim() },
      }),
    ],
    "as somebody else": [
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
    "nobody, if nothing is said": [() => ({}), () => ({ headers: {} })],
  };
  it.each(Object.entries(cases))("%s", async (_name, [user, identity]) => {
    expect(await identityOf(user())).toMatchObject(identity());
  });

  it("is not said without TLS: whoever listens would know it then", async () => {
    expect((await identityOf({ token: "secret" }, { server: "http://cluster:8080" })).headers).toEqual({});
    expect((await identityOf({ token: "secret" }, { server: "localhost:8080" })).headers).toEqual({});
  });

  it("is the same object until something changes", async () => {
    const token = file("token", "one");
    file(".kube/config", config({ tokenFile: token }));
    const access = load();
    const first = await access.identity(signal);
    file("token", "two");
    expect(await access.identity(signal)).toBe(first);
    clock.advance(60_000);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer two" });
  });

  it("is read again at once when the server does not believe it", async () => {
    file(".kube/config", config({ tokenFile: file("token", "one") }));
    const access = load();
    const refused = await access.identity(signal);
    file("token", "two");
    access.refused(refused);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer two" });
  });

  it("outlives a file that is gone for a moment", async () => {
    file(".kube/config", config({ tokenFile: file("token", "one") }));
    const access = load();
    await access.identity(signal);
    rmSync(join(folder, "token"));
    clock.advance(60_000);
    expect((await access.identity(signal)).headers).toEqual({ authorization: "Bearer one" });
  });
});

describe("which server", () => {
  it("is that of the context, with what the cluster says of it", async () => {
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

  it("is not verified if that is wanted", () => {
    file(".kube/config", config({}, { "insecure-skip-tls-verify": true }));
    expect(load().verifiesServer).toBe(false);
  });

  it("is chosen by context, namespace and file", () => {
    const two = config({});
    const contexts = ["x", "y"].map((name) => ({ name, context: { cluster: name, user: "u", namespace: name } }));
    const clusters = ["x", "y"].map((name) => ({ name, cluster: { server: `https://${name}` } }));
    const path = file("other", { ...two, contexts, clusters });
    expect(load({ kubeconfig: path }).server.host).toBe("x");
    const chosen = load({ kubeconfig: path, context: "y" });
    expect([chosen.server.host, chosen.namespace]).toEqual(["y", "y"]);
    expect(load({ kubeconfig: path, namespace: "n" }).namespace).toBe("n");
  });

  it("comes from all files of KUBECONFIG: the first of each name wins whole", async () => {
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

  it("is the one around a pod, when there is no file", async () => {
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

describe("a proxy that the environment names", () => {
  const proxy = { HTTPS_PROXY: "http://proxy:3128" };
  const cases: Record<string, [server: string, env: Record<string, string>, through: string | undefined]> = {
    "is used": ["https://cluster:6443", proxy, "http://proxy:3128/"],
    "may be written in small letters and without a scheme": [
      "https://cluster",
      { https_proxy: "proxy:1" },
      "http://proxy:1/",
    ],
    "is not used without TLS": ["http://cluster", proxy, undefined],
    "is not used on this machine": ["https://127.0.0.1:6443", proxy, undefined],
    "is not used for a name in NO_PROXY": ["https://cluster:6443", { ...proxy, NO_PROXY: "a,cluster" }, undefined],
    "is not used below a domain": ["https://api.example.com", { ...proxy, NO_PROXY: "example.com" }, undefined],
    "is used for a domain itself, if only what is below is exempt": [
      "https://example.com",
      { ...proxy, NO_PROXY: ".example.com" },
      "http://proxy:3128/",
    ],
    "is not used in a network": ["https://10.1.2.3", { ...proxy, no_proxy: "10.0.0.0/8" }, undefined],
    "is used outside of it": ["https://11.1.2.3", { ...proxy, no_proxy: "10.0.0.0/8,bad/99" }, "http://proxy:3128/"],
    "is not used in a network of the sixth version": [
      "https://[fd00::1]",
      { ...proxy, NO_PROXY: "fd00::/8" },
      undefined,
    ],
    "is not used for a port": ["https://cluster:6443", { ...proxy, NO_PROXY: "cluster:6443" }, undefined],
    "is used for another port": ["https://cluster:6444", { ...proxy, NO_PROXY: "cluster:6443" }, "http://proxy:3128/"],
    "is not used for anything": ["https://cluster", { ...proxy, NO_PROXY: "*" }, undefined],
  };
  it.each(Object.entries(cases))("%s", (_name, [server, env, through]) => {
    file(".kube/config", config({}, { server }));
    expect(load({}, env).proxy?.href).toBe(through);
  });

  it("goes behind the one that the cluster names, and must be a URL", () => {
    file(".kube/config", config({}, { "proxy-url": "http://own:1" }));
    expect(load({}, proxy).proxy?.host).toBe("own:1");
    file(".kube/config", config({}));
    expect(() => load({}, { HTTPS_PROXY: "ftp://x" })).toThrow(
      "the environment variable HTTPS_PROXY is no URL of a proxy",
    );
  });
});

describe("what cannot be used is refused", () => {
  const cases: Record<string, [content: () => unknown, says: string | RegExp]> = {
    "nothing there": [
      () => undefined,
      /no configuration has been provided: .*config does not exist.*name a file with --kubeconfig/,
    ],
    "a file that is no YAML": [() => "a: [", /error loading config file ".*config": yaml: /],
    "a file that is something else": [() => ({ kind: "Pod", apiVersion: "v1" }), "kind: must be Config, not Pod"],
    "another version": [() => ({ kind: "Config", apiVersion: "v2" }), "apiVersion: must be v1, not v2"],
    "a list that is none": [() => ({ ...config({}), users: { u: {} } }), "users: must be a list"],
    "a text that is none": [() => config({ token: ["a"] }), "users[0].user.token: must be a text"],
    "a flag that is none": [
      () => config({}, { "insecure-skip-tls-verify": "maybe" }),
      "clusters[0].cluster.insecure-skip-tls-verify: must be true or false",
    ],
    "a name twice": [
      () => ({ ...config({}), users: [{ name: "u" }, { name: "u" }] }),
      'users[1].name: duplicate name "u" in list',
    ],
    "no current context": [
      () => ({ ...config({}), "current-context": "" }),
      /no current context is set in .*; choose one with "kubectl config use-context" \(there are: x\)/,
    ],
    "a context that is not there": [
      () => ({ ...config({}), "current-context": "y" }),
      /context "y" does not exist in .*config; there are: x/,
    ],
    "a user that is not there": [
      () => config({}, {}, { user: "v" }),
      'invalid configuration: user "v" was not found for context "x"',
    ],
    "a cluster that is not there": [
      () => config({}, {}, { cluster: "d" }),
      'cluster "d" was not found for context "x"',
    ],
    "a context without either": [
      () => ({ ...config({}), contexts: [{ name: "x" }] }),
      'invalid configuration: [user was not specified for context "x", cluster was not specified for context "x"]',
    ],
    "a namespace that cannot be": [
      () => config({}, {}, { namespace: "A_b" }),
      'namespace "A_b" for context "x" does not conform',
    ],
    "a cluster without a server": [() => config({}, { server: "" }), 'no server found for cluster "c"'],
    "a server that is no URL": [
      () => config({}, { server: "https://" }),
      'the server "https://" of cluster "c" is no URL',
    ],
    "a proxy that cannot be": [
      () => config({}, { "proxy-url": "ftp://p" }),
      'invalid \'proxy-url\' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5',
    ],
    "two authorities": [
      () =>
        config({}, { "certificate-authority": file("ca", "x"), "certificate-authority-data": base64("-----BEGIN ") }),
      "certificate-authority-data and certificate-authority are both specified for c",
    ],
    "an authority that is not asked": [
      () => config({}, { "insecure-skip-tls-verify": true, "certificate-authority-data": base64("-----BEGIN ") }),
      "specifying a root certificates file with the insecure flag is not allowed",
    ],
    "an authority that is missing": [
      () => config({}, { "certificate-authority": "none" }),
      /unable to read certificate-authority .*none for c due to no such file or directory/,
    ],
    "an authority that is no certificate": [
      () => config({}, { "certificate-authority-data": base64("hello") }),
      "certificate-authority-data of c holds no certificate in PEM form",
    ],
    "data that is no base64": [
      () => config({ "client-key-data": "%%%" }),
      "users[0].user.client-key-data: is no valid base64",
    ],
    "a certificate without a key": [
      () => config({ "client-certificate-data": base64("x") }),
      "client-key-data or client-key must be specified for u",
    ],
    "a key that is missing": [
      () => config({ "client-certificate-data": base64("x"), "client-key": "none" }),
      /unable to read client-key .*none for u due to no such file or directory/,
    ],
    "a token file that is missing": [() => config({ tokenFile: "none" }), /unable to read tokenFile .*none for u/],
    "two ways to say who we are": [
      () => config({ token: "t", username: "n" }),
      "more than one authentication method found for u; found [token basicAuth], only one is allowed",
    ],
    "groups of nobody": [
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
    "an exec plug-in of v1 that does not say whether it asks": [
      () => config({ exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x" } }),
      "interactiveMode must be specified for u to use exec authentication plugin",
    ],
    "an exec plug-in of a version nobody knows": [
      () => config({ exec: { apiVersion: "client.authentication.k8s.io/v9", command: "x", interactiveMode: "Never" } }),
      'exec plugin: invalid apiVersion "client.authentication.k8s.io/v9"',
    ],
  };
  it.each(Object.entries(cases))("%s", (_name, [content, says]) => {
    const written = content();
    if (written !== undefined) file(".kube/config", written);
    expect(() => load()).toThrow(says);
  });

  it("a file that is named and not there", () => {
    expect(() => load({ kubeconfig: join(folder, "none") })).toThrow(/the kubeconfig file ".*none" does not exist/);
  });

  it("a folder where a file should be", () => {
    mkdirSync(join(folder, ".kube", "config"), { recursive: true });
    expect(() => load()).toThrow(/error loading config file ".*config": it is a directory/);
  });

  it("a certificate that does not fit its key, when it is to be used", async () => {
    const other = issueServerCertificate(authority, names, { nowMs: 1_700_000_000_000, lifetimeMs: 1_000_000 });
    const user = {
      "client-certificate-data": base64(pair.certificatePem),
      "client-key-data": base64(other.privateKeyPem),
    };
    await expect(identityOf(user)).rejects.toThrow(/the client certificate and key of a user in .* cannot be used: /);
  });
});
