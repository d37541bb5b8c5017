import { readFileSync } from "node:fs";

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
}

/** The certificate authority of a kubeconfig that `milo-quota up` wrote, as PEM. */
export function authorityIn(kubeconfig: string): string {
  const [first] = (JSON.parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig).clusters;
  return Buffer.from(first?.cluster["certificate-authority-data"] ?? "", "base64").toString();
}
