import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import type { JsonValue } from "../../protocol/json-value.ts";
import { EntryError, EntryReader } from "./entry-reader.ts";
import type { ClusterEntry, ContextEntry, ExecEntry, Kubeconfig, UserEntry } from "./kubeconfig-entries.ts";
import { fileErrorText, KubeconfigError } from "./kubeconfig-error.ts";

const fileBytesMax = 16 * 1024 * 1024;

/** Name of the extension with the cluster's configuration for exec plug-ins. */
const execExtension = "client.authentication.k8s.io/exec";

/** Undefined when the file does not exist. */
export function readKubeconfig(file: string): Kubeconfig | undefined {
  const path = resolve(file);
  const text = textOf(path);
  if (text === undefined) return undefined;
  try {
    return configIn(parsed(text), path);
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new KubeconfigError(`error loading config file "${path}": ${error.message}`);
  }
}

function textOf(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > fileBytesMax) throw new Error(`it has more than ${fileBytesMax} bytes`);
    return bytes.toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new KubeconfigError(`error loading config file "${path}": ${fileErrorText(error)}`);
  }
}

function parsed(text: string): JsonValue {
  try {
    return (parse(text, { intAsBigInt: true, uniqueKeys: false }) ?? {}) as JsonValue;
  } catch (error) {
    const [first = ""] = (error as Error).message.split("\n");
    throw new EntryError("yaml", first.replace(/:$/, ""));
  }
}

function configIn(value: JsonValue, file: string): Kubeconfig {
  const reader = new EntryReader(value, "", file);
  const [apiVersion, kind] = [reader.text("apiVersion"), reader.text("kind")];
  if (apiVersion !== "" && apiVersion !== "v1") throw reader.fault("apiVersion", `must be v1, not ${apiVersion}`);
  if (kind !== "" && kind !== "Config") throw reader.fault("kind", `must be Config, not ${kind}`);
  return {
    clusters: named(reader, "clusters", (entry) => clusterIn(entry.object("cluster") ?? nothing, file)),
    users: named(reader, "users", (entry) => userIn(entry.object("user") ?? nothing, file)),
    contexts: named(reader, "contexts", (entry) => contextIn(entry.object("context") ?? nothing, file)),
    currentContext: reader.text("current-context"),
  };
}

const nothing = new EntryReader({}, "", "");

function named<Entry>(
  reader: EntryReader,
  field: string,
  read: (entry: EntryReader) => Entry,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const entry of reader.objects(field)) {
    const name = entry.text("name");
    if (entries.has(name)) throw entry.fault("name", `duplicate name "${name}" in list`);
    entries.set(name, read(entry));
  }
  return entries;
}

function clusterIn(reader: EntryReader, origin: string): ClusterEntry {
  return {
    origin,
    server: reader.text("server"),
    tlsServerName: reader.text("tls-server-name"),
    insecureSkipTlsVerify: reader.flag("insecure-skip-tls-verify"),
    authorityFile: reader.path("certificate-authority"),
    authorityData: reader.data("certificate-authority-data"),
    proxyUrl: reader.text("proxy-url"),
    execConfig: reader
      .objects("extensions")
      .find((extension) => extension.text("name") === execExtension)
      ?.json("extension"),
  };
}

function userIn(reader: EntryReader, origin: string): UserEntry {
  return {
    origin,
    certificateFile: reader.path("client-certificate"),
    certificateData: reader.data("client-certificate-data"),
    keyFile: reader.path("client-key"),
    keyData: reader.data("client-key-data"),
    token: reader.text("token"),
    tokenFile: reader.path("tokenFile"),
    username: reader.text("username"),
    password: reader.text("password"),
    impersonation: {
      user: reader.text("as"),
      uid: reader.text("as-uid"),
      groups: reader.texts("as-groups"),
      extra: reader.textLists("as-user-extra"),
    },
    authProvider: reader.object("auth-provider")?.text("name") ?? "",
    exec: execIn(reader.object("exec")),
  };
}

/** Before v1 there was no interactiveMode: these get the terminal if there is one. */
const versionsWithoutInteractiveMode = [
  "client.authentication.k8s.io/v1beta1",
  "client.authentication.k8s.io/v1alpha1",
];

function execIn(reader: EntryReader | undefined): ExecEntry | undefined {
  if (reader === undefined) return undefined;
  const apiVersion = reader.text("apiVersion");
  const mode = reader.text("interactiveMode");
  return {
    command: reader.program("command"),
    args: reader.texts("args"),
    env: reader.objects("env").map((entry) => ({ name: entry.text("name"), value: entry.text("value") })),
    apiVersion,
    installHint: reader.text("installHint"),
    provideClusterInfo: reader.flag("provideClusterInfo"),
    interactiveMode: mode === "" && versionsWithoutInteractiveMode.includes(apiVersion) ? "IfAvailable" : mode,
  };
}

function contextIn(reader: EntryReader, origin: string): ContextEntry {
  return {
    origin,
    cluster: reader.text("cluster"),
    user: reader.text("user"),
    namespace: reader.text("namespace"),
  };
}
