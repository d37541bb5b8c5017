import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { WrittenSubresource } from "../../kinds/served-kind.ts";
import { readDefinition } from "./definition.ts";

/** A new definition: with defaulted names, and a status with only the storage version. */
export function prepareNewDefinition(crd: ApiObject): ApiObject {
  const status = { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: [] };
  return withStorage({ ...(defaultDefinition(crd) as JsonObject), status });
}

/**
 * A changed definition: the status belongs to the server, except that the current storage version is added to
 * storedVersions.
 */
export function prepareUpdatedDefinition(crd: ApiObject, old: ApiObject, part: WrittenSubresource = ""): ApiObject {
  return part === "status"
    ? crd
    : withStorage({ ...(defaultDefinition(crd) as JsonObject), status: old["status"] ?? {} });
}

/** Defaults of names, conversion and storage version. */
export function defaultDefinition(crd: ApiObject): ApiObject {
  const spec = ownValue(crd, "spec");
  if (!isJsonObject(spec)) return crd;
  const { names } = readDefinition(crd);
  const singular = names.singular || names.kind.toLowerCase();
  const listKind = names.listKind || (names.kind === "" ? "" : `${names.kind}List`);
  const given = ownValue(spec, "names");
  const filled: JsonObject = {
    ...(isJsonObject(given) ? given : {}),
    ...(singular === "" ? {} : { singular }),
    ...(listKind === "" ? {} : { listKind }),
  };
  const conversion = ownValue(spec, "conversion") ?? { strategy: "None" };
  const complete: JsonObject = { ...(crd as JsonObject), spec: { ...spec, conversion, names: filled } };
  const { storedVersions } = readDefinition(complete);
  return storedVersions.length > 0 ? (complete as unknown as ApiObject) : withStorage(complete);
}

function withStorage(crd: JsonObject): ApiObject {
  const { versions, storedVersions } = readDefinition(crd);
  const storage = versions.find((version) => version.storage)?.name;
  const status = ownValue(crd, "status") as JsonValue;
  if (storage === undefined || storedVersions.includes(storage)) return crd as ApiObject;
  const stored = [...storedVersions, storage];
  return {
    ...crd,
    status: { ...(isJsonObject(status) ? status : {}), storedVersions: stored },
  } as unknown as ApiObject;
}
