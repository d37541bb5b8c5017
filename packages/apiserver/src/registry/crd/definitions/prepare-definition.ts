import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { WrittenPart } from "../../kinds/served-kind.ts";
import { readDefinition } from "./definition.ts";

/** A new definition: names filled in, and a status that knows nothing but the version objects will be stored in. */
export function preparedNew(crd: ApiObject): ApiObject {
  const status = { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: [] };
  return withStorage({ ...(defaulted(crd) as JsonObject), status });
}

/** A changed one: the status is the server's own business, apart from the version that objects are stored in now. */
export function preparedUpdate(crd: ApiObject, old: ApiObject, part: WrittenPart = ""): ApiObject {
  return part === "status" ? crd : withStorage({ ...(defaulted(crd) as JsonObject), status: old["status"] ?? {} });
}

/** Names, conversion and the version of storage that a definition leaves out. */
export function defaulted(crd: ApiObject): ApiObject {
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
