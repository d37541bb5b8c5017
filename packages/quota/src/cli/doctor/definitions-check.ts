import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { isJsonObject, type JsonValue, jsonEquals, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { type Finding, findingsFor, problem, warning } from "./finding.ts";

const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

const check = "definitions";
const install = "Apply the files in deploy/crds; `milo-quota up` does so on every start.";

interface DefinitionsResult {
  readonly findings: readonly Finding[];
  /** False if a CRD is missing: the quota objects cannot be checked then. */
  readonly isInstalled: boolean;
}

/** Checks that the CRDs of the quota API are installed, served, and those of this version of milo-quota. */
export async function checkDefinitions(
  cluster: Cluster,
  expected: readonly AnyObject[],
  signal: AbortSignal,
): Promise<DefinitionsResult> {
  const definitions = cluster.root.resource(definitionsType, anyObject);
  try {
    const names = expected.map(({ metadata }) => metadata.name ?? "");
    const installed = await Promise.all(names.map((name) => definitions.find({ name }, signal)));
    const faults = expected.flatMap((definition, index) => {
      const [name = "", found] = [names[index], installed[index]];
      if (found === undefined) return [problem(`${name} is not installed`, install)];
      return differences(name, found, definition);
    });
    const findings = findingsFor(check, faults, `all ${expected.length} CRDs are installed and up to date`);
    return { findings, isInstalled: installed.every((found) => found !== undefined) };
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    const skipped = warning("you lack permission to read CustomResourceDefinitions: not checked");
    return { findings: [{ check, ...skipped }], isInstalled: true };
  }
}

function differences(name: string, found: AnyObject, expected: AnyObject) {
  const { conditions = [] } = (found["status"] ?? {}) as {
    conditions?: readonly { type: string; status: string; message?: string }[];
  };
  const established = conditions.find(({ type }) => type === "Established");
  if (established !== undefined && established.status !== "True") {
    return [problem(`${name} is not served: ${established.message ?? "not established"}`)];
  }
  if (includes(found["spec"] ?? null, expected["spec"] ?? null)) return [];
  return [warning(`${name} differs from the CRD of this version of milo-quota`, install)];
}

/** Whether the stored value has everything expected; servers add defaults. */
function includes(stored: JsonValue, expected: JsonValue): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(stored) || stored.length !== expected.length) return false;
    return expected.every((item: JsonValue, index) => includes(stored[index] ?? null, item));
  }
  if (!isJsonObject(expected)) return jsonEquals(stored, expected);
  if (!isJsonObject(stored)) return false;
  return Object.entries(expected).every(
    ([key, value]) => value === undefined || includes(ownValue(stored, key) ?? null, value),
  );
}
