import { type FieldIssue, issueText, type Parsed } from "../../protocol/field-issue.ts";
import { JsonSyntaxError, readJson } from "../../protocol/json-reader.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../protocol/json-value.ts";
import { isSuccess, refusal } from "../transport/reply-status.ts";
import { type Call, ConnectionFailed, type Reply } from "../transport/transport.ts";

/** Makes a precise object of what a server sent. */
export type Parser<Kind> = (value: JsonValue) => Parsed<Kind>;

/** A server sent an object that is not what it should be: an older version of it, say, or one of somebody else. */
export class UnreadableObject extends Error {
  override readonly name = "UnreadableObject";
  readonly issues: readonly FieldIssue[];

  constructor(subject: string, issues: readonly FieldIssue[]) {
    super(`${subject} cannot be read: ${issues.map(issueText).join("; ")}`);
    this.issues = issues;
  }
}

/** The object in an answer; throws the refusal, if it is one. */
export function objectIn(call: Call, reply: Reply): JsonObject {
  if (!isSuccess(reply)) throw refusal(call, reply);
  if (reply.object !== undefined) return reply.object();
  const value = jsonIn(call, reply.body);
  if (isJsonObject(value)) return value;
  throw new ConnectionFailed(call, "the server answered with something that is no object");
}

export function parsedBy<Kind>(parse: Parser<Kind>, value: JsonObject, resource: string): Kind {
  const parsed = parse(value);
  if (parsed.ok) return parsed.value;
  throw new UnreadableObject(`${resource} ${nameIn(value)}`, parsed.issues);
}

/** What an object calls itself, for messages about it. */
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
    throw new ConnectionFailed(call, `the server answered with something that is no JSON: ${error.message}`);
  }
}
