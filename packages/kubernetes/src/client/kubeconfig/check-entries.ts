import { accessSync, constants } from "node:fs";
import { quote } from "../../protocol/go-quote.ts";
import { dnsLabel } from "../../protocol/names.ts";
import type { ClusterEntry, ContextEntry, ExecEntry, UserEntry } from "./kubeconfig-entries.ts";
import { fileErrorText } from "./kubeconfig-error.ts";

const proxySchemes = ["http:", "https:", "socks5:"];
const interactiveModes = ["Never", "IfAvailable", "Always"];

/** All problems of a cluster entry. */
export function clusterProblems(name: string, cluster: ClusterEntry): readonly string[] {
  const { server, authorityFile, authorityData, proxyUrl, insecureSkipTlsVerify } = cluster;
  return [
    ...when(server === "", `no server found for cluster ${quote(name)} in ${cluster.origin}`),
    ...when(
      server !== "" && serverUrl(server) === undefined,
      `the server ${quote(server)} of cluster ${quote(name)} is not a valid URL; write it as https://host:port`,
    ),
    ...(proxyUrl === "" ? [] : proxyProblems(name, proxyUrl)),
    ...when(
      authorityFile !== "" && authorityData !== "",
      `certificate-authority-data and certificate-authority are both specified for ${name}; remove one of them`,
    ),
    ...when(
      insecureSkipTlsVerify && (authorityFile !== "" || authorityData !== ""),
      `specifying a root certificates file with the insecure flag is not allowed for ${name}; remove one of them`,
    ),
    ...unreadable("certificate-authority", authorityFile, name),
    ...when(
      authorityData !== "" && !authorityData.includes("-----BEGIN "),
      `certificate-authority-data of ${name} contains no PEM certificate`,
    ),
  ];
}

/** A server without a scheme uses HTTP, as in kubectl. */
export function serverUrl(server: string): URL | undefined {
  const text = server.includes("://") ? server : `http://${server}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
}

function proxyProblems(name: string, proxyUrl: string): readonly string[] {
  const subject = `invalid 'proxy-url' ${quote(proxyUrl)} for cluster ${quote(name)}`;
  if (!URL.canParse(proxyUrl)) return [`${subject}: could not parse: ${proxyUrl}`];
  const { protocol } = new URL(proxyUrl);
  if (proxySchemes.includes(protocol)) return [];
  return [`${subject}: unsupported scheme ${quote(protocol.slice(0, -1))}, must be http, https, or socks5`];
}

/** All problems of a user entry. */
export function userProblems(name: string, user: UserEntry): readonly string[] {
  const { impersonation } = user;
  const asWhat =
    impersonation.uid !== "" || impersonation.groups.length > 0 || Object.keys(impersonation.extra).length > 0;
  const methods = [
    ...when(user.token !== "", "token"),
    ...when(user.username !== "" || user.password !== "", "basicAuth"),
  ];
  return [
    ...certificateProblems(name, user),
    ...(user.exec === undefined ? [] : execProblems(name, user.exec)),
    ...when(
      user.authProvider !== "",
      `the auth provider ${quote(user.authProvider)} of ${name} is not supported: Kubernetes has removed auth providers; use an exec plug-in`,
    ),
    ...unreadable("tokenFile", user.token === "" ? user.tokenFile : "", name),
    ...when(
      methods.length > 1,
      `more than one authentication method found for ${name}; found [${methods.join(" ")}], only one is allowed`,
    ),
    ...when(
      asWhat && impersonation.user === "",
      `requesting uid, groups or user-extra for ${name} without impersonating a user`,
    ),
  ];
}

function certificateProblems(name: string, user: UserEntry): readonly string[] {
  const { certificateFile, certificateData, keyFile, keyData } = user;
  if (certificateFile === "" && certificateData === "") return [];
  return [
    ...when(
      certificateFile !== "" && certificateData !== "",
      `client-cert-data and client-cert are both specified for ${name}; remove one of them`,
    ),
    ...when(
      keyFile !== "" && keyData !== "",
      `client-key-data and client-key are both specified for ${name}; remove one of them`,
    ),
    ...when(
      keyFile === "" && keyData === "",
      `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`,
    ),
    ...unreadable("client-cert", certificateFile, name),
    ...unreadable("client-key", keyFile, name),
  ];
}

function execProblems(name: string, exec: ExecEntry): readonly string[] {
  const use = `for ${name} to use exec authentication plugin`;
  const isKnownMode = interactiveModes.includes(exec.interactiveMode);
  return [
    ...when(exec.command === "", `command must be specified ${use}`),
    ...when(exec.apiVersion === "", `apiVersion must be specified ${use}`),
    ...when(
      exec.env.some((entry) => entry.name === ""),
      `env variable name must be specified ${use}`,
    ),
    ...when(exec.interactiveMode === "", `interactiveMode must be specified ${use}`),
    ...when(
      exec.interactiveMode !== "" && !isKnownMode,
      `invalid interactiveMode for ${name}: ${quote(exec.interactiveMode)}`,
    ),
  ];
}

/** Problems of a context itself, not of its cluster and user. */
export function contextProblems(name: string, { user, cluster, namespace }: ContextEntry): readonly string[] {
  return [
    ...when(user === "", `user was not specified for context ${quote(name)}`),
    ...when(cluster === "", `cluster was not specified for context ${quote(name)}`),
    ...when(
      namespace !== "" && dnsLabel(namespace).length > 0,
      `namespace ${quote(namespace)} for context ${quote(name)} does not conform to the kubernetes DNS_LABEL rules`,
    ),
  ];
}

function unreadable(what: string, file: string, name: string): readonly string[] {
  if (file === "") return [];
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch (error) {
    return [`unable to read ${what} ${file} for ${name} due to ${fileErrorText(error)}`];
  }
}

function when(isSo: boolean, problem: string): readonly string[] {
  return isSo ? [problem] : [];
}
