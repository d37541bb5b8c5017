import { dnsLabel, dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";

const prefix = "system:serviceaccount:";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** Undefined when the user name is not that of a service account. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(prefix)) return undefined;
  const [namespace, name, ...more] = username.slice(prefix.length).split(":");
  if (namespace === undefined || name === undefined || more.length > 0) return undefined;
  return dnsLabel(namespace).length === 0 && dnsSubdomain(name).length === 0 ? { namespace, name } : undefined;
}

/** The groups that all service accounts of a namespace are in. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
