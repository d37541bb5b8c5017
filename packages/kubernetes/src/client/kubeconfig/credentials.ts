import type { Clock } from "../../protocol/clock.ts";
import type { ClientCertificate } from "../transport/cluster-access.ts";
import { certificateFault } from "./exec-credential.ts";
import { ExecPlugin, type ExecPorts } from "./exec-plugin.ts";
import type { ClusterEntry, UserEntry } from "./kubeconfig-entries.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { RereadFile } from "./reread-file.ts";

/** What a user shows at one moment. */
export interface Shown {
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/** Where credentials come from, now and after they were refused. */
export interface CredentialSource {
  shown(): Promise<Shown>;
  /** They were not believed: get others, if there is a way to. */
  forget(): void;
}

/** A token, a password or a certificate that is given goes before a plug-in. */
export function credentialsOf(user: UserEntry, cluster: ClusterEntry, ports: ExecPorts): CredentialSource {
  const isGiven = user.token !== "" || user.tokenFile !== "" || user.username !== "" || hasCertificate(user);
  if (user.exec !== undefined && !isGiven) return fromPlugin(new ExecPlugin(user.exec, cluster, ports));
  const sources = [bearer(user, ports.clock), password(user), certificate(user, ports.clock)].filter(
    (source) => source !== undefined,
  );
  return {
    shown: async () => Object.assign({}, ...(await Promise.all(sources.map((source) => source.shown())))) as Shown,
    forget: () => {
      for (const source of sources) source.forget();
    },
  };
}

function hasCertificate({ certificateFile, certificateData }: UserEntry): boolean {
  return certificateFile !== "" || certificateData !== "";
}

function fromPlugin(plugin: ExecPlugin): CredentialSource {
  return {
    shown: async () => {
      const { token, certificate: own } = await plugin.credential();
      return {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(own === undefined ? {} : { certificate: own }),
      };
    },
    forget: () => plugin.forget(),
  };
}

/** Where both are given the file counts, and the token is for when the file cannot be read. */
function bearer({ token, tokenFile }: UserEntry, clock: Clock): CredentialSource | undefined {
  if (token === "" && tokenFile === "") return undefined;
  if (tokenFile === "") return { shown: async () => ({ authorization: `Bearer ${token}` }), forget: () => undefined };
  const file = new RereadFile(tokenFile, "token file", clock);
  const text = async (): Promise<string> => {
    if (token === "") return file.text();
    return file.text().catch(() => token);
  };
  return { shown: async () => ({ authorization: `Bearer ${await text()}` }), forget: () => file.forget() };
}

function password(user: UserEntry): CredentialSource | undefined {
  if (user.username === "" && user.password === "") return undefined;
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`;
  return { shown: async () => ({ authorization }), forget: () => undefined };
}

function certificate(user: UserEntry, clock: Clock): CredentialSource | undefined {
  if (!hasCertificate(user)) return undefined;
  const certificatePem = pem(user.certificateData, user.certificateFile, "client certificate", clock);
  const privateKeyPem = pem(user.keyData, user.keyFile, "client key", clock);
  return {
    shown: async () => {
      const pair = { certificatePem: await certificatePem.text(), privateKeyPem: await privateKeyPem.text() };
      const fault = certificateFault(pair);
      if (fault === undefined) return { certificate: pair };
      throw new KubeconfigError(`the client certificate and key of a user in ${user.origin} cannot be used: ${fault}`);
    },
    forget: () => {
      certificatePem.forget();
      privateKeyPem.forget();
    },
  };
}

function pem(data: string, file: string, what: string, clock: Clock): Pick<RereadFile, "text" | "forget"> {
  if (data === "") return new RereadFile(file, what, clock);
  return { text: async () => data, forget: () => undefined };
}
