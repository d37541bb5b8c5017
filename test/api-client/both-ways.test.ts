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

/** The kind that takes anything below its spec and its status. */
const openDefinition = (): KubernetesObject => {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const [version] = widgetDefinition.spec.versions;
  const properties = { spec: anything, status: anything };
  const versions = [{ ...version, schema: { openAPIV3Schema: { type: "object", properties } } }];
  return { ...widgetDefinition, spec: { ...widgetDefinition.spec, versions } } as KubernetesObject;
};

/** What code may make, whether or not JSON has a form for it. */
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
  says: fc.constantFrom("kind", "kind", "kind", "kind", "nothing", "another kind"),
});
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

/** Frozen: what is handed over is shared, so whoever changed it would be found out. */
function frozen<Value>(given: Value): Value {
  if (typeof given !== "object" || given === null || Object.isFrozen(given)) return given;
  for (const member of Object.values(given)) frozen(member);
  return Object.freeze(given);
}

function objectOf({ says, plural, ...step }: Step, namespace: string): KubernetesObject {
  const kind = says === "another kind" ? "Other" : kindNames[plural];
  const type = says === "nothing" ? {} : { apiVersion: apiVersions[plural], kind };
  const whole = { ...type, metadata: { ...step.metadata, name: step.name, namespace }, ...step.content };
  return frozen(whole as unknown as KubernetesObject);
}

async function take(client: ResourceClient<JsonObject>, step: Step, namespace: string): Promise<unknown> {
  const ref = { namespace, name: step.name };
  const object = objectOf(step, namespace);
  const said = step.options as { dryRun?: boolean };
  switch (step.verb) {
    case "create":
      return client.create(object, said, signal);
    case "update":
      return client.update(object, said, signal);
    case "status":
      return client.updateStatus(object, said, signal);
    case "patch": {
      const way = step.subresource === undefined ? said : { ...said, subresource: step.subresource };
      return client.patch(ref, frozen(step.patch) as Parameters<typeof client.patch>[1], way, signal);
    }
    case "apply":
      return client.apply(object, { ...said, fieldManager: "somebody" }, signal);
    case "delete":
      return client.delete(ref, said, signal);
    case "get":
      return client.get(ref, signal);
    default:
      return client.rawList({ namespace, limit: step.limit, labelSelector: step.labelSelector }, signal);
  }
}

/** What came of it, the refusal included. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return frozen(await work);
  } catch (error) {
    if (error instanceof StatusError) return { refused: error.status };
    return { failed: String(error) };
  }
}

/** All that is told of a namespace, up to an object that is made last. */
async function heard(
  { client }: Twin,
  which: Plural,
  { namespace, begun }: { readonly namespace: string; readonly begun: () => void },
): Promise<readonly WatchLine[]> {
  const lines: WatchLine[] = [];
  const ended = new AbortController();
  const query = new URLSearchParams({ watch: "true", allowWatchBookmarks: "true", sendInitialEvents: "true" });
  query.set("resourceVersionMatch", "NotOlderThan");
  query.set("labelSelector", "a!=y");
  const call = client.resource(kinds[which], parseAny).collectionCall({ namespace }, query);
  const take = (line: WatchLine): void => {
    lines.push(frozen(line));
    if (line.type === "bookmark") begun();
    if (line.type === "present" && JSON.stringify(line.object["metadata"]).includes('"name":"last"')) ended.abort();
  };
  const sink = {
    opened: () => undefined,
    line: (line: Parameters<typeof parseWatchLine>[0]) => take(parseWatchLine(line)),
  };
  await client.transport.stream(call, sink, ended.signal).catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return lines;
}

async function play(twin: Twin, steps: readonly Step[], namespace: string): Promise<readonly unknown[]> {
  const made = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await twin.client.resource(namespaces, parseAny).create(made, {}, signal);
  const plurals = ["configmaps", "widgets"] as const;
  const listening: Promise<readonly WatchLine[]>[] = [];
  // Nothing is done before both hear of it, however long a way is.
  for (const which of plurals) {
    await new Promise<void>((begun) => listening.push(heard(twin, which, { namespace, begun })));
  }
  const outcomes: unknown[] = [];
  for (const step of steps) {
    outcomes.push(await outcome(take(twin.client.resource(kinds[step.plural], parseAny), step, namespace)));
  }
  for (const which of plurals) {
    const last = { apiVersion: apiVersions[which], kind: kindNames[which], metadata: { name: "last", namespace } };
    await twin.client.resource(kinds[which], parseAny).create(last, {}, signal);
  }
  return [...outcomes, ...(await Promise.all(listening))];
}

describe("a client in the process of the server", () => {
  let twins: readonly [Twin, Twin];
  let runs = 0;

  beforeAll(async () => {
    twins = [await inProcess(), await overSockets()];
    for (const { client } of twins) {
      await client.resource(definitions, parseAny).create(openDefinition(), {}, signal);
      const served = client.resource(widgets, parseAny);
      for (;;) {
        const page = await outcome(served.rawList({ namespace: "default" }, signal));
        if (!Object.hasOwn(page as object, "refused")) break;
      }
    }
  });

  afterAll(async () => {
    for (const twin of twins) await twin.stop();
  });

  it("gets and hears the very same as one over sockets, whatever it sends", async () => {
    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      runs += 1;
      const [near, far] = await Promise.all(twins.map((twin) => play(twin, steps, `run-${runs}`)));
      expect(near).toStrictEqual(far);
      expect(twins.flatMap(({ faults }) => faults)).toEqual([]);
    });
    await fc.assert(check, { numRuns: 150 });
  }, 120_000);
});
