/** Functions that kube-apiserver offers to rules and this server does not, by library. */
const functionsByLibrary: Readonly<Record<string, readonly string[]>> = {
  authorizer: ["authorizer"],
};

const libraryOf: ReadonlyMap<string, string> = new Map(
  Object.entries(functionsByLibrary).flatMap(([library, names]) => names.map((name) => [name, library] as const)),
);

/** The message about an undeclared name that is a function of Kubernetes; undefined for other names. */
export function unsupportedFunction(message: string): string | undefined {
  const name = /^undeclared reference to '([^']+)'/.exec(message)?.[1];
  const library = name === undefined ? undefined : libraryOf.get(name);
  if (library === undefined) return undefined;
  return `'${name}' belongs to the CEL library "${library}", which this server does not support`;
}
