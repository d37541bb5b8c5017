import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { ResolvedContext } from "./resolve-context.ts";

/** Where the credentials of a pod are mounted. */
export const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The in-cluster configuration of a pod; undefined outside of a cluster. */
export function inClusterContext(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): ResolvedContext | undefined {
  const [host = "", port = ""] = [env["KUBERNETES_SERVICE_HOST"], env["KUBERNETES_SERVICE_PORT"]];
  const tokenFile = join(folder, "token");
  if (host === "" || port === "" || !existsSync(tokenFile)) return undefined;
  const authorityFile = join(folder, "ca.crt");
  return {
    cluster: {
      origin: folder,
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      tlsServerName: "",
      insecureSkipTlsVerify: false,
      authorityFile: existsSync(authorityFile) ? authorityFile : "",
      authorityData: "",
      proxyUrl: "",
      execConfig: undefined,
    },
    user: {
      origin: folder,
      certificateFile: "",
      certificateData: "",
      keyFile: "",
      keyData: "",
      token: "",
      tokenFile,
      username: "",
      password: "",
      impersonation: { user: "", uid: "", groups: [], extra: {} },
      authProvider: "",
      exec: undefined,
    },
    namespace: env["POD_NAMESPACE"] || namespaceIn(folder) || "default",
  };
}

function namespaceIn(folder: string): string {
  const file = join(folder, "namespace");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}
