import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import { parseWatchLine, type WatchLine } from "@milo-quota/kubernetes/client/watch/watch-line.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configMaps, definitions, namespaces, parseAny, widgetDefinition, widgets } from "./kinds.ts";
import { inProcess, overSockets, type Twin } from "./twin-servers.ts";

const { signal } = new AbortController();
const kinds = { configmaps: configMaps, widgets };
const apiVersions = { configmaps: "v1", widgets: "client.example.com/v1" };
const kindNames = { configmaps: "ConfigMap", widgets: "Widget" };
type Plural = keyof typeof kinds;

/** The Widget kind with arbitrary spec and status. */
const openDefinition = (): KubernetesObject => {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const [version] = widgetDefinition.spec.versions;
  const properties = { spec: anything, status: anything };
  const versions = [{ ...version, schema: { openAPIV3Schema: { type: "object", properties } } }];
  return { ...widgetDefinition, spec: { ...widgetDefinition.spec, versions } } as KubernetesObject;
};

/** Arbitrary JavaScript values, including some without a JSON form. */
const { value, members } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, undefined, -0, 5n, 2n ** 60n, 2 ** 60, 1e300, 0.1, Number.NaN, new Date(0)),
    fc.constantFrom("", "\ud800", "a\udc00b", "é😀", "\u0000", "1e3", "yes", "2001-01-01"),
    fc.string({ unit: "binary", maxLength: 5 }),
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("members"),
  ),
  members: fc.dictionary(fc.constantFrom("a", "b", "7", "__proto__", "\udfff", "x y"), tie("value"), { maxKeys: 4 }),
}));

const labels = fc.option(fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y", "-"), { maxKeys: 2 }));
const name = fc.constantFrom("a", "b", "c", "Not_A_Name");
const texts = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2", "\ud800", "é"), { maxKeys: 2 });
const content = fc.record(
  { data: fc.oneof(texts, value), spec: members, status: members, unknown: value },
  { requiredKeys: [] },
);
const metadata = fc.record({ labels, finalizers: fc.constantFrom(undefined, ["example.com/hold"], []) });
const plural = fc.constantFrom<Plural>("configmaps", "widgets");
const subresource = fc.constantFrom("status" as const, undefined);
const options = fc.record(
  { dryRun: fc.boolean(), fieldValidation: fc.constantFrom("Ignore", "Warn", "Strict") },
  { requiredKeys: [] },
);
const patchSteps = fc.array(
  fc.record({
    op: fc.constantFrom("add", "remove", "replace"),
    path: fc.constantFrom("/data", "/spec/a", "/metadata/labels"),
    value,
  }),
  { maxLength: 3 },
);
const patch = fc.oneof(
  fc.record({ type: fc.constantFrom("merge", "strategic"), body: fc.oneof(content, fc.record({ metadata })) }),
  fc.record({ type: fc.constant("json"), body: patchSteps }),
);
const step = fc.record({
  verb: fc.constantFrom("create", "create", "update", "status", "patch", "patch", "apply", "delete", "get", "list"),
  plural,
  name,
  content,
  metadata,
  options,
  patch,
  subresource,
  limit: fc.constantFrom(1, 2, 500),
  labelSelector: fc.constantFrom("", "a=x", "b notin (y)"),
  message: fc.constantFrom("kind", "kind", "kind", "kind", "nothing", "another kind"),
});
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

/** In-process objects are shared, so freezing them detects every mutation. */
function frozen<Value>(given: Value): Value {
  if (typeof given !== "object" || given === null || Object.isFrozen(given)) return given;
  for (const member of Object.values(given)) frozen(member);
  return Object.freeze(given);
}

function objectOf({ message, plural, ...step }: Step, namespace: string): KubernetesObject {
  const kind = message === "another kind" ? "Other" : kindNames[plural];
  const type = message === "nothing" ? {} : { apiVersion: apiVersions[plural], kind };
  const whole = { ...type, metadata: { ...step.metadata, name: step.name, namespace }, ...step.content };
  return frozen(whole as unknown as KubernetesObject);
}

async function take(client: ResourceClient<JsonObject>, step: Step, namespace: string): Promise<unknown> {
  const ref = { namespace, name: step.name };
  const object = objectOf(step, namespace);
  const options = step.options as { dryRun?: boolean };
  switch (step.verb) {
    case "create":
      return client.create(object, options, signal);
    case "update":
      return client.update(object, options, signal);
    case "status":
      return client.updateStatus(object, options, signal);
    case "patch": {
      const patchOptions = step.subresource === undefined ? options : { ...options, subresource: step.subresource };
      return client.patch(ref, frozen(step.patch) as Parameters<typeof client.patch>[1], patchOptions, signal);
    }
    case "apply":
      return client.apply(object, { ...options, fieldManager: "test" }, signal);
    case "delete":
      return client.delete(ref, options, signal);
    case "get":
      return client.get(ref, signal);
    default:
      return client.rawList({ namespace, limit: step.limit, labelSelector: step.labelSelector }, signal);
  }
}

/** The result or the error of a request. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return frozen(await work);
  } catch (error) {
    if (error instanceof StatusError) return { rejected: error.status };
    return { failed: String(error) };
  }
}

/** All watch events of a namespace, up to the object with the name "last". */
async function watchEvents(
  { client }: Twin,
  which: Plural,
  { namespace, started }: { readonly namespace: string; readonly started: () => void },
): Promise<readonly WatchLine[]> {
  const lines: WatchLine[] = [];
  const ended = new AbortController();
  const query = new URLSearchParams({ watch: "true", allowWatchBookmarks: "true", sendInitialEvents: "true" });
  query.set("resourceVersionMatch", "NotOlderThan");
  query.set("labelSelector", "a!=y");
  const call = client.resource(kinds[which], parseAny).collectionCall({ namespace }, query);
  const take = (line: WatchLine): void => {
    lines.push(frozen(line));
    if (line.type === "bookmark") started();
    if (line.type === "present" && JSON.stringify(line.object["metadata"]).includes('"name":"last"')) ended.abort();
  };
  const sink = {
    onOpened: () => undefined,
    onLine: (line: Parameters<typeof parseWatchLine>[0]) => take(parseWatchLine(line)),
  };
  await client.transport.stream(call, sink, ended.signal).catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return lines;
}

async function runSteps(twin: Twin, steps: readonly Step[], namespace: string): Promise<readonly unknown[]> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await twin.client.resource(namespaces, parseAny).create(object, {}, signal);
  const plurals = ["configmaps", "widgets"] as const;
  const watches: Promise<readonly WatchLine[]>[] = [];
  // Waits until both watches are open before the first step.
  for (const which of plurals) {
    await new Promise<void>((started) => watches.push(watchEvents(twin, which, { namespace, started })));
  }
  const outcomes: unknown[] = [];
  for (const step of steps) {
    outcomes.push(await outcome(take(twin.client.resource(kinds[step.plural], parseAny), step, namespace)));
  }
  for (const which of plurals) {
    const last = { apiVersion: apiVersions[which], kind: kindNames[which], metadata: { name: "last", namespace } };
    await twin.client.resource(kinds[which], parseAny).create(last, {}, signal);
  }
  return [...outcomes, ...(await Promise.all(watches))];
}

describe("an in-process client", () => {
  let twins: readonly [Twin, Twin];
  let runs = 0;

  beforeAll(async () => {
    twins = [await inProcess(), await overSockets()];
    for (const { client } of twins) {
      await client.resource(definitions, parseAny).create(openDefinition(), {}, signal);
      const served = client.resource(widgets, parseAny);
      for (;;) {
        const page = await outcome(served.rawList({ namespace: "default" }, signal));
        if (!Object.hasOwn(page as object, "rejected")) break;
      }
    }
  });

  afterAll(async () => {
    for (const twin of twins) await twin.stop();
  });

  it("gets the same responses and events as one over sockets, for arbitrary requests", async () => {
    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      runs += 1;
      const [inProcessOutcome, socketOutcome] = await Promise.all(
        twins.map((twin) => runSteps(twin, steps, `run-${runs}`)),
      );
      expect(inProcessOutcome).toStrictEqual(socketOutcome);
      expect(twins.flatMap(({ faults }) => faults)).toEqual([]);
    });
    await fc.assert(check, { numRuns: 150 });
  }, 120_000);
});
