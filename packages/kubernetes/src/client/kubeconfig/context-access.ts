import type { Clock } from "../../protocol/clock.ts";
import type { ClusterAccess, Identity } from "../transport/cluster-access.ts";
import { serverUrl } from "./check-entries.ts";
import { type CredentialSource, type Credentials, credentialsOf } from "./credentials.ts";
import { environmentProxy } from "./environment-proxy.ts";
import type { ExecDeps } from "./exec-plugin.ts";
import { impersonationHeaders } from "./impersonation-headers.ts";
import type { ClusterEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { ReloadingFile } from "./reloading-file.ts";
import type { ResolvedContext } from "./resolve-context.ts";

export function contextAccess({ cluster, user, namespace }: ResolvedContext, deps: ExecDeps): ClusterAccess {
  const server = serverUrl(cluster.server);
  if (server === undefined) throw new KubeconfigError(`"${cluster.server}" is not a valid server URL`);
  const isSecure = server.protocol === "https:";
  // Without TLS no credentials are sent: they could be intercepted.
  const credentials = isSecure ? credentialsOf(user, cluster, deps) : noCredentials;
  const identities = new Identities(
    credentials,
    authorityOf(cluster, deps.clock),
    impersonationHeaders(user.impersonation),
  );
  const proxy = cluster.proxyUrl === "" ? environmentProxy(server, deps.env) : new URL(cluster.proxyUrl);
  return {
    server,
    namespace,
    verifiesServer: !cluster.insecureSkipTlsVerify,
    ...(cluster.tlsServerName === "" ? {} : { serverName: cluster.tlsServerName }),
    ...(proxy === undefined ? {} : { proxy }),
    identity: () => identities.current(),
    invalidate: (identity) => identities.invalidate(identity),
  };
}

const noCredentials: CredentialSource = { credentials: async () => ({}), invalidate: () => undefined };

function authorityOf({ authorityData, authorityFile }: ClusterEntry, clock: Clock): () => Promise<string | undefined> {
  if (authorityData !== "") return async () => authorityData;
  if (authorityFile === "") return async () => undefined;
  const file = new ReloadingFile(authorityFile, "certificate authority", clock);
  return () => file.text();
}

/** Returns the same identity until something about it changes. */
class Identities {
  readonly #credentials: CredentialSource;
  readonly #authority: () => Promise<string | undefined>;
  readonly #headers: Identity["headers"];
  #last: Identity | undefined;

  constructor(
    credentials: CredentialSource,
    authority: () => Promise<string | undefined>,
    headers: Identity["headers"],
  ) {
    this.#credentials = credentials;
    this.#authority = authority;
    this.#headers = headers;
  }

  async current(): Promise<Identity> {
    const [shown, authorityPem] = await Promise.all([this.#credentials.credentials(), this.#authority()]);
    const last = this.#last;
    const certificate = sameCertificate(last?.certificate, shown.certificate) ? last?.certificate : shown.certificate;
    const isSame =
      last !== undefined &&
      last.headers["authorization"] === shown.authorization &&
      last.authorityPem === authorityPem &&
      last.certificate === certificate;
    if (isSame) return last;
    this.#last = {
      headers: {
        ...this.#headers,
        ...(shown.authorization === undefined ? {} : { authorization: shown.authorization }),
      },
      ...(authorityPem === undefined ? {} : { authorityPem }),
      ...(certificate === undefined ? {} : { certificate }),
    };
    return this.#last;
  }

  invalidate(identity: Identity): void {
    if (identity === this.#last) this.#credentials.invalidate();
  }
}

function sameCertificate(left: Credentials["certificate"], right: Credentials["certificate"]): boolean {
  return left?.certificatePem === right?.certificatePem && left?.privateKeyPem === right?.privateKeyPem;
}
