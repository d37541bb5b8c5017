import { type FieldIssue, issueText, type Parsed } from "../../protocol/field-issue.ts";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { isSuccess, replyError } from "../transport/reply-status.ts";
import { type Call, ConnectionFailed, type Reply } from "../transport/transport.ts";

/** Converts a server's JSON into a typed object. */
export type Parser<Kind> = (value: JsonValue) => Parsed<Kind>;

/** A server sent an object that does not have the expected form, such as one of an older version. */
export class UnreadableObject extends Error {
  override readonly name = "UnreadableObject";
  readonly issues: readonly FieldIssue[];

  constructor(subject: string, issues: readonly FieldIssue[]) {
    super(`${subject} cannot be read: ${issues.map(issueText).join("; ")}`);
    this.issues = issues;
  }
}

/** The object in a reply; throws a StatusError for an error reply. */
export function objectOrThrow(call: Call, reply: Reply): JsonObject {
  if (!isSuccess(reply)) throw replyError(call, reply);
  if (reply.object !== undefined) return reply.object();
  const value = jsonIn(call, reply.body);
  if (isJsonObject(value)) return value;
  throw new ConnectionFailed(call, "the server's response is not an object");
}

export function parseOrThrow<Kind>(parse: Parser<Kind>, value: JsonObject, resource: string): Kind {
  const parsed = parse(value);
  if (parsed.ok) return parsed.value;
  throw new UnreadableObject(`${resource} ${nameIn(value)}`, parsed.issues);
}

/** The name of an object, for messages. */
export function nameIn(value: JsonObject): string {
  const metadata = ownValue(value, "metadata");
  if (!isJsonObject(metadata)) return "without metadata";
  const [namespace, name] = [ownValue(metadata, "namespace"), ownValue(metadata, "name")];
  return typeof namespace === "string" && namespace !== "" ? `"${namespace}/${String(name)}"` : `"${String(name)}"`;
}

function jsonIn(call: Call, body: string): JsonValue {
  try {
    return readJson(body);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ConnectionFailed(call, `the server's response is not JSON: ${error.message}`);
  }
}
