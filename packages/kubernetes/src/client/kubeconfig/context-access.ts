import type { Clock } from "../../protocol/clock.ts";
import type { ClusterAccess, Identity } from "../transport/cluster-access.ts";
import { serverUrl } from "./check-entries.ts";
import type { ChosenContext } from "./chosen-context.ts";
import { type CredentialSource, credentialsOf, type Shown } from "./credentials.ts";
import { environmentProxy } from "./environment-proxy.ts";
import type { ExecPorts } from "./exec-plugin.ts";
import { impersonationHeaders } from "./impersonation-headers.ts";
import type { ClusterEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { RereadFile } from "./reread-file.ts";

/** The access that a context describes. */
export function contextAccess({ cluster, user, namespace }: ChosenContext, ports: ExecPorts): ClusterAccess {
  const server = serverUrl(cluster.server);
  if (server === undefined) throw new KubeconfigError(`"${cluster.server}" is no URL of a server`);
  const isSecure = server.protocol === "https:";
  // Whoever listens on the way must not get to know a token: without TLS none is sent.
  const credentials = isSecure ? credentialsOf(user, cluster, ports) : noCredentials;
  const identities = new Identities(
    credentials,
    authorityOf(cluster, ports.clock),
    impersonationHeaders(user.impersonation),
  );
  const proxy = cluster.proxyUrl === "" ? environmentProxy(server, ports.env) : new URL(cluster.proxyUrl);
  return {
    server,
    namespace,
    verifiesServer: !cluster.insecureSkipTlsVerify,
    ...(cluster.tlsServerName === "" ? {} : { serverName: cluster.tlsServerName }),
    ...(proxy === undefined ? {} : { proxy }),
    identity: () => identities.current(),
    refused: (identity) => identities.refused(identity),
  };
}

const noCredentials: CredentialSource = { shown: async () => ({}), forget: () => undefined };

function authorityOf({ authorityData, authorityFile }: ClusterEntry, clock: Clock): () => Promise<string | undefined> {
  if (authorityData !== "") return async () => authorityData;
  if (authorityFile === "") return async () => undefined;
  const file = new RereadFile(authorityFile, "certificate authority", clock);
  return () => file.text();
}

/** Hands out the same identity until something about it has changed. */
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
    const [shown, authorityPem] = await Promise.all([this.#credentials.shown(), this.#authority()]);
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

  refused(identity: Identity): void {
    if (identity === this.#last) this.#credentials.forget();
  }
}

function sameCertificate(left: Shown["certificate"], right: Shown["certificate"]): boolean {
  return left?.certificatePem === right?.certificatePem && left?.privateKeyPem === right?.privateKeyPem;
}
