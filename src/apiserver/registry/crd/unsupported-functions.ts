/** Functions that kube-apiserver offers to rules and this server does not, by their library. */
const functionsByLibrary: Readonly<Record<string, readonly string[]>> = {
  url: ["url", "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery"],
  ip: [
    "ip",
    "isIP",
    "ip.isCanonical",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
  ],
  cidr: ["cidr", "isCIDR", "containsIP", "containsCIDR", "prefixLength", "masked"],
  semver: ["semver", "isSemver", "major", "minor", "patch"],
  format: [
    "format",
    "format.named",
    "format.dns1123Label",
    "format.dns1123Subdomain",
    "format.dns1035Label",
    "format.qualifiedName",
    "format.dns1123LabelPrefix",
    "format.dns1123SubdomainPrefix",
    "format.dns1035LabelPrefix",
    "format.labelValue",
    "format.uri",
    "format.uuid",
    "format.byte",
    "format.date",
    "format.datetime",
  ],
  authorizer: ["authorizer"],
};

const libraryOf: ReadonlyMap<string, string> = new Map(
  Object.entries(functionsByLibrary).flatMap(([library, names]) => names.map((name) => [name, library] as const)),
);

/** What to tell about an undeclared name that is a function of Kubernetes; undefined when it is none. */
export function unsupportedFunction(message: string): string | undefined {
  const name = /^undeclared reference to '([^']+)'/.exec(message)?.[1];
  const library = name === undefined ? undefined : libraryOf.get(name);
  if (library === undefined) return undefined;
  return `'${name}' belongs to the CEL library "${library}", which this server does not support`;
}
