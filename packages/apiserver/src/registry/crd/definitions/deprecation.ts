import { compareVersions } from "../../kinds/kind-version.ts";
import type { Definition, DefinitionVersion } from "./definition.ts";

/** The warning to clients of a deprecated version; undefined for others. */
export function deprecationWarning(definition: Definition, version: DefinitionVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = definition;
  const [better] = versions
    .filter(({ served, deprecated, name }) => served && !deprecated && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${names.kind}`;
}
