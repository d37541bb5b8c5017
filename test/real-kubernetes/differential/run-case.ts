import { parse as parseYaml } from "yaml";
import type { ApiClient, Reply } from "./api-client.ts";
import type { Case, Step } from "./case.ts";
import { normalized } from "./normalized.ts";
import { partOf } from "./part-of.ts";

/** Normalized response of a step. */
export interface Observation {
  readonly code: number;
  readonly type: string;
  readonly warnings: readonly string[];
  readonly body: unknown;
}

const untilMsMax = 60_000;

/** Runs all steps of a case in its own namespace. */
export async function runCase(client: ApiClient, { steps }: Case, namespace: string): Promise<readonly Observation[]> {
  const kept: Record<string, string> = { ns: namespace };
  await client.send(json("POST", "/api/v1/namespaces", { metadata: { name: namespace } }));
  const seen: Observation[] = [];
  for (const step of steps) {
    const reply = await sendStep(client, step, kept);
    for (const [name, path] of Object.entries(step.keep ?? {}))
      kept[name] = String(partOf(JSON.parse(reply.body), path));
    if (step.unseen !== true) seen.push(observation(reply, step, kept));
  }
  await client.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
  return seen;
}

async function sendStep(client: ApiClient, step: Step, kept: Readonly<Record<string, string>>): Promise<Reply> {
  const deadline = Date.now() + untilMsMax;
  for (;;) {
    const reply = await client.send(callOf(step, kept));
    if (isAsWanted(step, reply, kept) || Date.now() > deadline) return reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isAsWanted(
  { until, untilWith, untilWithout }: Step,
  { code, body }: Reply,
  kept: Readonly<Record<string, string>>,
): boolean {
  return (
    (until === undefined || code === until) &&
    (untilWith === undefined || body.includes(filled(untilWith, kept))) &&
    (untilWithout === undefined || !body.includes(untilWithout))
  );
}

function callOf(step: Step, kept: Readonly<Record<string, string>>) {
  const raw = typeof step.body === "string" || step.body instanceof Uint8Array ? step.body : JSON.stringify(step.body);
  const body = typeof raw === "string" ? filled(raw, kept) : raw;
  const headers = {
    ...(body === undefined ? {} : { "content-type": step.contentType ?? "application/json" }),
    ...(step.accept === undefined ? {} : { accept: step.accept }),
    ...credentials(step),
    ...step.headers,
  };
  return { method: step.method, path: filled(step.path, kept), headers, ...(body === undefined ? {} : { body }) };
}

function credentials({ as }: Step): Readonly<Record<string, string>> {
  if (as === undefined) return {};
  return { authorization: as === "no token" ? "" : as === "nobody" ? "Bearer nobody-token" : "Bearer wrong" };
}

function filled(text: string, kept: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-zA-Z]+)\}/g, (whole, name: string) => kept[name] ?? whole);
}

function observation({ code, headers, body }: Reply, step: Step, kept: Readonly<Record<string, string>>): Observation {
  const warning = headers["warning"];
  const warnings = warning === undefined ? [] : [warning].flat().flatMap((text) => text.split(/, (?=299 )/));
  const type = String(headers["content-type"] ?? "").replace(/\s/g, "");
  const whole = parsed(body, type);
  const shown = step.parts === undefined ? whole : step.parts.map((part) => partOf(whole, filled(part, kept)) ?? null);
  const ordered = step.anyOrder === true ? inOrder(shown) : shown;
  return normalized({ code, type, warnings, body: ordered }, kept) as Observation;
}

/** Sorts the causes of an error. */
function inOrder(body: unknown): unknown {
  const status = body as { readonly message?: string; readonly details?: { readonly causes?: readonly unknown[] } };
  if (status.details?.causes === undefined) return body;
  const causes = [...status.details.causes].sort((left, right) =>
    JSON.stringify(left) < JSON.stringify(right) ? -1 : 1,
  );
  const message = status.message
    ?.split(/[[\]]|, /)
    .sort()
    .join(" | ");
  return { ...status, message, details: { ...status.details, causes } };
}

/** The number of bookmarks depends on the timing; only the one at the end of the initial events is deterministic. */
function isNoHeartbeat(line: string): boolean {
  return !/^\{"type":"BOOKMARK"/.test(line) || line.includes("initial-events-end");
}

/** Streams are lists of events. Anything but JSON is text. */
function parsed(body: string, type: string): unknown {
  if (type.includes("yaml")) return parseYaml(body);
  if (!type.includes("json")) return body;
  const lines = body.split("\n").filter((line) => line !== "");
  try {
    const isStream = lines.length > 1 && lines.every((line) => line.startsWith("{"));
    if (lines.length === 1 && !isNoHeartbeat(lines[0] as string)) return "";
    return isStream ? lines.filter(isNoHeartbeat).map((line) => JSON.parse(line)) : JSON.parse(body);
  } catch {
    return body;
  }
}

function json(method: string, path: string, body: unknown) {
  return { method, path, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}
