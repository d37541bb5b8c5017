import { failure, StatusError } from "../../../../protocol/api-status.ts";
import { quote } from "../../../../protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../../../protocol/json-value.ts";

/** A struct of Kubernetes that is being read: what errors call it, and where it stands. */
export interface Place {
  readonly review: string;
  readonly struct: string;
  readonly path: string;
}

/** The review itself. Throws BadRequest, as all readers here do, for what a Go struct would not take. */
export function readReview(body: unknown, kind: string, group: string): JsonObject {
  if (!isJsonObject(body)) {
    const because = "couldn't get version/kind; json parse error: it is not an object";
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${because}`);
  }
  const sentKind = ownValue(body, "kind");
  const sentVersion = ownValue(body, "apiVersion");
  const isKind = sentKind === undefined || sentKind === "" || sentKind === kind;
  const isVersion = sentVersion === undefined || sentVersion === "" || sentVersion === `${group}/v1`;
  if (isKind && isVersion) {
    readObject(body, "metadata", { review: kind, struct: kind, path: "" }, "v1.ObjectMeta");
    return body;
  }
  const [sentGroup, version] = isVersion ? [group, "v1"] : splitVersion(String(sentVersion));
  const registered = `no kind ${quote(String(sentKind ?? kind))} is registered for version ${quote(`${sentGroup}/${version}`)}`;
  throw badRequest(
    `${String(sentKind ?? kind)} in version ${quote(version)} cannot be handled as a ${kind}: ${registered}`,
  );
}

function splitVersion(apiVersion: string): readonly [string, string] {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

export function readText(object: JsonObject, key: string, place: Place): string {
  const value = ownValue(object, key) ?? "";
  if (typeof value !== "string") throw unreadable(value, key, place, "string");
  return value;
}

export function readTexts(object: JsonObject, key: string, place: Place, type = "[]string"): readonly string[] {
  const value = ownValue(object, key) ?? [];
  if (!Array.isArray(value)) throw unreadable(value, key, place, type);
  return value.map((item: JsonValue) => {
    if (typeof item !== "string") throw unreadable(item, key, place, "string");
    return item;
  });
}

/** Undefined when it is left out, or null. */
export function readObject(object: JsonObject, key: string, place: Place, type: string): JsonObject | undefined {
  const value = ownValue(object, key) ?? undefined;
  if (value !== undefined && !isJsonObject(value)) throw unreadable(value, key, place, type);
  return value;
}

export function readObjects(object: JsonObject, key: string, place: Place, type: string): readonly JsonObject[] {
  const value = ownValue(object, key) ?? [];
  if (!Array.isArray(value)) throw unreadable(value, key, place, `[]${type}`);
  return value.map((item: JsonValue) => {
    if (!isJsonObject(item)) throw unreadable(item, key, place, type);
    return item;
  });
}

export function within(place: Place, key: string, struct: string): Place {
  return { ...place, struct, path: place.path === "" ? key : `${place.path}.${key}` };
}

function unreadable(value: JsonValue, key: string, place: Place, type: string): StatusError {
  const path = place.path === "" ? key : `${place.path}.${key}`;
  const problem = `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${place.struct}.${path} of type ${type}`;
  return badRequest(`${place.review} in version "v1" cannot be handled as a ${place.review}: ${problem}`);
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

export function badRequest(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
