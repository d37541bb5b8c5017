import type { JsonValue } from "../../protocol/json-value.ts";

/** A `cluster` entry. Empty strings mean: not given. Paths are absolute. */
export interface ClusterEntry {
  /** The file of this entry. */
  readonly origin: string;
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly authorityFile: string;
  /** PEM. */
  readonly authorityData: string;
  readonly proxyUrl: string;
  /** The cluster's configuration for an exec plug-in. */
  readonly execConfig: JsonValue | undefined;
}

/** A `user` entry: one set of credentials. */
export interface UserEntry {
  readonly origin: string;
  readonly certificateFile: string;
  readonly certificateData: string;
  readonly keyFile: string;
  readonly keyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly impersonation: Impersonation;
  readonly authProvider: string;
  readonly exec: ExecEntry | undefined;
}

/** The user to impersonate; empty for none. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** An exec credential plug-in. */
export interface ExecEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface ContextEntry {
  readonly origin: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

/** One file, or several merged. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string;
}

/** For each name the first entry wins entirely; and so does the first current context. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: firstOfEach(files.map(({ clusters }) => clusters)),
    users: firstOfEach(files.map(({ users }) => users)),
    contexts: firstOfEach(files.map(({ contexts }) => contexts)),
    currentContext: files.find(({ currentContext }) => currentContext !== "")?.currentContext ?? "",
  };
}

function firstOfEach<Entry>(maps: readonly ReadonlyMap<string, Entry>[]): ReadonlyMap<string, Entry> {
  return new Map(maps.toReversed().flatMap((entries) => [...entries]));
}
