import type { IncomingMessage } from "node:http";
import { parseStatus } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { statusCodeText } from "./call-error-text.ts";
import { CallFailed } from "./webhook-caller.ts";

const responseBytesMax = 16 * 1024 * 1024;

/** Parses a webhook's response. Rejects with CallFailed when it is not a successful JSON response. */
export async function readWebhookResponse(response: IncomingMessage): Promise<JsonValue> {
  return responseOf(response, await textOf(response));
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) {
      response.destroy();
      throw new CallFailed(`the response is larger than ${responseBytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function responseOf(response: IncomingMessage, body: string): JsonValue {
  const code = response.statusCode ?? 0;
  const isFine = code >= 200 && code <= 206;
  const value = parsedBody(body);
  if (!isFine) throw new CallFailed(failureText(code, body, value));
  if (body === "") {
    const type = response.headers["content-type"] ?? "";
    throw new CallFailed(`0-length response with status code: ${code} and content type: ${type}`);
  }
  if (value === undefined)
    throw new CallFailed("couldn't get version/kind; json parse error: the response is not JSON");
  const status = parseStatus(value);
  if (status?.status === "Failure") throw new CallFailed(status.message ?? "unknown");
  return value;
}

function failureText(code: number, body: string, value: JsonValue | undefined): string {
  const status = value === undefined ? undefined : parseStatus(value);
  return status?.message ?? statusCodeText(code, body);
}

/** Undefined when it is not JSON. */
function parsedBody(body: string): JsonValue | undefined {
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
}
