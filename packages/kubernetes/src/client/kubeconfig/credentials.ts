import type { Clock } from "../../protocol/clock.ts";
import type { ClientCertificate } from "../transport/cluster-access.ts";
import { certificateProblem } from "./exec-credential.ts";
import { type ExecDeps, ExecPlugin } from "./exec-plugin.ts";
import type { ClusterEntry, UserEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { ReloadingFile } from "./reloading-file.ts";

/** The current credentials of a user. */
export interface Credentials {
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

export interface CredentialSource {
  credentials(): Promise<Credentials>;
  /** The server rejected them: the next call gets new ones if possible. */
  invalidate(): void;
}

/** A token, a password or a certificate takes precedence over an exec plug-in. */
export function credentialsOf(user: UserEntry, cluster: ClusterEntry, deps: ExecDeps): CredentialSource {
  const isGiven = user.token !== "" || user.tokenFile !== "" || user.username !== "" || hasCertificate(user);
  if (user.exec !== undefined && !isGiven) return fromPlugin(new ExecPlugin(user.exec, cluster, deps));
  const sources = [bearer(user, deps.clock), password(user), certificate(user, deps.clock)].filter(
    (source) => source !== undefined,
  );
  return {
    credentials: async () =>
      Object.assign({}, ...(await Promise.all(sources.map((source) => source.credentials())))) as Credentials,
    invalidate: () => {
      for (const source of sources) source.invalidate();
    },
  };
}

function hasCertificate({ certificateFile, certificateData }: UserEntry): boolean {
  return certificateFile !== "" || certificateData !== "";
}

function fromPlugin(plugin: ExecPlugin): CredentialSource {
  return {
    credentials: async () => {
      const { token, certificate: own } = await plugin.credential();
      return {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(own === undefined ? {} : { certificate: own }),
      };
    },
    invalidate: () => plugin.invalidate(),
  };
}

/** If both are given the file takes precedence; the token is used when the file cannot be read. */
function bearer({ token, tokenFile }: UserEntry, clock: Clock): CredentialSource | undefined {
  if (token === "" && tokenFile === "") return undefined;
  if (tokenFile === "")
    return { credentials: async () => ({ authorization: `Bearer ${token}` }), invalidate: () => undefined };
  const file = new ReloadingFile(tokenFile, "token file", clock);
  const text = async (): Promise<string> => {
    if (token === "") return file.text();
    return file.text().catch(() => token);
  };
  return {
    credentials: async () => ({ authorization: `Bearer ${await text()}` }),
    invalidate: () => file.invalidate(),
  };
}

function password(user: UserEntry): CredentialSource | undefined {
  if (user.username === "" && user.password === "") return undefined;
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`;
  return { credentials: async () => ({ authorization }), invalidate: () => undefined };
}

function certificate(user: UserEntry, clock: Clock): CredentialSource | undefined {
  if (!hasCertificate(user)) return undefined;
  const certificatePem = pem(user.certificateData, user.certificateFile, "client certificate", clock);
  const privateKeyPem = pem(user.keyData, user.keyFile, "client key", clock);
  return {
    credentials: async () => {
      const pair = { certificatePem: await certificatePem.text(), privateKeyPem: await privateKeyPem.text() };
      const fault = certificateProblem(pair);
      if (fault === undefined) return { certificate: pair };
      throw new KubeconfigError(`the client certificate and key of a user in ${user.origin} cannot be used: ${fault}`);
    },
    invalidate: () => {
      certificatePem.invalidate();
      privateKeyPem.invalidate();
    },
  };
}

function pem(data: string, file: string, what: string, clock: Clock): Pick<ReloadingFile, "text" | "invalidate"> {
  if (data === "") return new ReloadingFile(file, what, clock);
  return { text: async () => data, invalidate: () => undefined };
}
