import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** The location of an object in a review, for error messages. */
export interface FieldLocation {
  readonly review: string;
  readonly path: string;
}

/** The review itself. Throws BadRequest, as all readers here do, for a value of the wrong type. */
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
    readObject(body, "metadata", { review: kind, path: "" });
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

export function readText(object: JsonObject, key: string, location: FieldLocation): string {
  const value = ownValue(object, key) ?? "";
  if (typeof value !== "string") throw unreadable(value, key, location, "string");
  return value;
}

export function readTexts(object: JsonObject, key: string, location: FieldLocation): readonly string[] {
  const value = ownValue(object, key) ?? [];
  if (!Array.isArray(value)) throw unreadable(value, key, location, "array");
  return value.map((item: JsonValue, index) => {
    if (typeof item !== "string") throw unreadable(item, `${key}[${index}]`, location, "string");
    return item;
  });
}

/** Undefined when it is left out, or null. */
export function readObject(object: JsonObject, key: string, location: FieldLocation): JsonObject | undefined {
  const value = ownValue(object, key) ?? undefined;
  if (value !== undefined && !isJsonObject(value)) throw unreadable(value, key, location, "object");
  return value;
}

export function readObjects(object: JsonObject, key: string, location: FieldLocation): readonly JsonObject[] {
  const value = ownValue(object, key) ?? [];
  if (!Array.isArray(value)) throw unreadable(value, key, location, "array");
  return value.map((item: JsonValue, index) => {
    if (!isJsonObject(item)) throw unreadable(item, `${key}[${index}]`, location, "object");
    return item;
  });
}

export function within(location: FieldLocation, key: string): FieldLocation {
  return { ...location, path: location.path === "" ? key : `${location.path}.${key}` };
}

function unreadable(value: JsonValue, key: string, location: FieldLocation, expected: string): StatusError {
  const problem = `${within(location, key).path}: ${typeFault(expected, value)}`;
  return badRequest(`${location.review} in version "v1" cannot be handled as a ${location.review}: ${problem}`);
}

export function badRequest(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
