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
const install = "Apply the files in deploy/crds; `milo-quota up` does so at every start.";

/** Whether the kinds of the quota API are there, served, and the ones that this version of the program has. */
export async function examineDefinitions(
  cluster: Cluster,
  wanted: readonly AnyObject[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const definitions = cluster.home.resource(definitionsType, anyObject);
  try {
    const faults = await Promise.all(
      wanted.map(async (definition) => {
        const name = definition.metadata.name ?? "";
        const found = await definitions.find({ name }, signal);
        return found === undefined
          ? [problem(`${name} is not installed`, install)]
          : differences(name, found, definition);
      }),
    );
    return findingsFor(check, faults.flat(), `all ${wanted.length} kinds are installed and current`);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    return [{ check, ...warning("you may not read definitions: not looked at") }];
  }
}

function differences(name: string, found: AnyObject, wanted: AnyObject) {
  const { conditions = [] } = (found["status"] ?? {}) as {
    conditions?: readonly { type: string; status: string; message?: string }[];
  };
  const established = conditions.find(({ type }) => type === "Established");
  if (established !== undefined && established.status !== "True") {
    return [problem(`${name} is not served: ${established.message ?? "not established"}`)];
  }
  if (says(found["spec"] ?? null, wanted["spec"] ?? null)) return [];
  return [warning(`${name} is not the one that this version of the program has`, install)];
}

/** Whether what is stored says all of this; servers add what they fill in themselves. */
function says(stored: JsonValue, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(stored) || stored.length !== wanted.length) return false;
    return wanted.every((item: JsonValue, at) => says(stored[at] ?? null, item));
  }
  if (!isJsonObject(wanted)) return jsonEquals(stored, wanted);
  if (!isJsonObject(stored)) return false;
  return Object.entries(wanted).every(
    ([key, value]) => value === undefined || says(ownValue(stored, key) ?? null, value),
  );
}
