import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definition, established } from "../../test/definition-samples.ts";
import { MemoryLog } from "../storage/log/memory-log.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { openStore } from "../storage/store.ts";
import { AdmissionChain } from "./admission/admission-chain.ts";
import { configMap } from "./builtin/kinds/config-map.ts";
import { namespace } from "./builtin/kinds/namespace.ts";
import { kindsOf } from "./crd/objects/custom-kind.ts";
import { createObject } from "./create.ts";
import { decodeObject } from "./decode-object.ts";
import type { ApiObject } from "./kinds/api-object.ts";
import type { ServedKind } from "./kinds/served-kind.ts";
import type { WriteRequest } from "./object-request.ts";
import { nextByPatch } from "./patch-state.ts";
import type { Registry } from "./registry.ts";
import { nextByReplacement, updateObject } from "./update.ts";

const text = { type: "string", maxLength: 3 };
const items = { type: "object", properties: { name: text, value: { type: "integer" } }, required: ["name"] };
const listed = { type: "array", items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };

/** Keywords that one of two definitions lacks. */
const left = { free: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

/** A definition whose validation depends on whether a part is unchanged. */
function things(stricter: JsonObject, specRules: readonly JsonObject[], more: JsonObject = {}): ApiObject {
  const spec = {
    type: "object",
    properties: {
      mode: { type: "string", default: "x", ...stricter },
      list: { ...listed, "x-kubernetes-validations": [{ rule: "self.all(i, i.name != 'bad')" }] },
      tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      map: { type: "object", additionalProperties: text },
      ...more,
    },
    "x-kubernetes-validations": specRules,
  };
  const status = { type: "object", properties: { phase: text, list: listed }, default: { phase: "new" } };
  const head = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
  const schema = { type: "object", properties: { ...head, spec, status } } as unknown as JsonObject;
  return established(definition({ metadata: { uid: "u" }, schema, version: { subresources: { status: {} } } }));
}

const transition = { rule: "!has(self.map) || !has(oldSelf.map) || oldSelf.map.all(k, k in self.map)" };
const [loose, strict] = [
  things({}, [transition], left),
  things({ enum: ["x", "y"] }, [transition, { rule: "size(self.mode) < 2" }]),
].map((crd) => kindsOf(crd)[0] as ServedKind);

interface Write {
  readonly how: "create" | "put" | "merge" | "json" | "apply";
  readonly kind: ServedKind;
  readonly subresource: "" | "status";
  readonly manager: string;
  readonly fieldValidation: WriteRequest["fieldValidation"];
  readonly parts: JsonObject;
  readonly metadata: JsonObject;
}

const usual = fc.constantFrom<JsonValue>("a", "b", "x", "y");
const word = fc.oneof({ weight: 20, arbitrary: usual }, fc.constantFrom<JsonValue>("bad", "long", null, 1, {}));
const name = fc.oneof({ weight: 20, arbitrary: fc.constantFrom("a", "b") }, fc.constant("bad"));
const list = fc.array(fc.record({ name, value: fc.nat(1) }, { requiredKeys: ["name"] }), { maxLength: 3 });
const map = fc.dictionary(fc.constantFrom("a", "b", "example.com/c"), word, { maxKeys: 2 });
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const spec = some({ mode: word, list, tags: fc.array(name, { maxLength: 2 }), map, free: map });
const odd = fc.record({ spec: fc.record({ unknown: word }) });
const ofThing = fc.oneof({ weight: 9, arbitrary: some({ spec, status: some({ phase: word, list }) }) }, odd);
const ofConfigMap = some({ data: map, binaryData: map });
const owner = fc.constantFrom("u1", "u2").map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: "o", uid }));
const metadata = some({
  labels: map,
  annotations: map,
  finalizers: fc.array(fc.constantFrom("example.com/a", "example.com/b"), { maxLength: 2 }),
  ownerReferences: fc.array(owner, { maxLength: 2 }),
  generation: fc.constantFrom(0, 7),
});
const write = fc.constantFrom(loose, loose, loose, strict, configMap).chain((kind) =>
  fc.record({
    how: fc.constantFrom("create", "put", "put", "merge", "merge", "merge", "json", "apply"),
    kind: fc.constant(kind),
    subresource: kind === configMap ? fc.constant("") : fc.constantFrom("", "", "status"),
    manager: fc.constantFrom("m1", "m2"),
    fieldValidation: fc.constantFrom("Ignore", "Warn", "Strict"),
    parts: kind === configMap ? ofConfigMap : ofThing,
    metadata,
  }),
) as unknown as fc.Arbitrary<Write>;

/** Creates the objects before the random writes. */
const made = [loose, configMap].map((kind) => ({
  ...({ how: "create", kind, subresource: "", manager: "m0", fieldValidation: "Ignore", metadata: {} } as const),
  parts: (kind === configMap ? { data: { a: "b" } } : { spec: { mode: "x", map: { a: "b" } } }) as JsonObject,
})) as readonly Write[];

/** A server whose versions share unchanged parts, or one that shares nothing. */
class Server {
  readonly #registry: Registry;
  readonly #clock: FakeClock;

  private constructor(registry: Registry, clock: FakeClock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  static async open(isSharing: boolean): Promise<Server> {
    const clock = new FakeClock();
    const store = await openStore(new MemoryLog(), clock);
    let uids = 0;
    const random = { fraction: () => 0, uuid: () => `uid-${uids++}` as ReturnType<Registry["random"]["uuid"]> };
    const seen = isSharing ? store : copying(store);
    const admission = new AdmissionChain([], () => undefined);
    const registry: Registry = { store: seen, admission, clock, random };
    const crds = "customresourcedefinitions.apiextensions.k8s.io";
    await store.put({ plane: "root", resource: crds, namespace: "", name: "foos.example.com" }, 0, things({}, []));
    const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    const request: WriteRequest = { ...requestFor({ kind: namespace, subresource: "" } as Write, []), namespace: "" };
    await createObject(registry, request, team);
    return new Server(registry, clock);
  }

  /** Returns the stored text or the error, and all warnings. */
  async answer(write: Write): Promise<readonly string[]> {
    const warnings: string[] = [];
    this.#clock.advance(500);
    try {
      const stored = await this.#write(write, requestFor(write, warnings));
      return [stored.text, ...warnings];
    } catch (error) {
      if (error instanceof StatusError) return [writeJson(error.status), ...warnings];
      throw error;
    }
  }

  async #write(write: Write, request: WriteRequest) {
    const { kind, how, metadata } = write;
    const apiVersion = kind.group === "" ? "v1" : `${kind.group}/${kind.version}`;
    const object = { apiVersion, kind: kind.kind, metadata: { name: "one", ...metadata }, ...write.parts };
    if (how === "create") return createObject(this.#registry, request, decodeObject(copyOf(object), request));
    const next =
      how === "put"
        ? nextByReplacement(decodeObject(copyOf(this.#onNewest(object, request)), request), request, this.#clock)
        : nextByPatch({ type: how, text: patchText(write, object), force: true, name: "one" }, request, this.#clock);
    return (await updateObject(this.#registry, request, "one", next)).stored;
  }

  #onNewest(object: JsonObject, { kind }: WriteRequest): JsonObject {
    const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    const current = this.#registry.store.get({ plane: "root", resource, namespace: "team", name: "one" });
    const { resourceVersion = "1" } = current?.object.metadata ?? {};
    return { ...object, metadata: { ...(object["metadata"] as JsonObject), resourceVersion } };
  }
}

function requestFor({ kind, subresource, manager, fieldValidation }: Write, warnings: string[]): WriteRequest {
  const user = { username: "ann", uid: "", groups: [], extra: {} };
  const warn = (warning: string): void => void warnings.push(warning);
  const { signal } = new AbortController();
  const dryRun = false;
  return { plane: "root", kind, namespace: "team", subresource, user, manager, dryRun, fieldValidation, warn, signal };
}

function patchText({ how, parts: changed, metadata: meta }: Write, object: JsonObject): string {
  if (how === "apply") return writeJson(object);
  if (how === "merge") return writeJson({ ...changed, metadata: meta });
  const all = { ...(changed["spec"] as JsonObject) };
  return writeJson(Object.entries(all).map(([key, value]) => ({ op: "add", path: `/spec/${key}`, value })));
}

function copying(store: ObjectStore): ObjectStore {
  return new Proxy(store, {
    get(target, property) {
      const member = Reflect.get(target, property) as unknown;
      if (typeof member !== "function") return member;
      if (property !== "get") return (...args: unknown[]) => Reflect.apply(member, target, args) as unknown;
      return (...args: unknown[]) => {
        const { key, revision, text: stored } = (Reflect.apply(member, target, args) ?? {}) as Partial<Stored>;
        return stored === undefined ? undefined : { key, revision, text: stored, object: readJson(stored) };
      };
    },
  });
}

type Stored = NonNullable<ReturnType<ObjectStore["get"]>>;

function copyOf(object: JsonObject): JsonObject {
  return readJson(writeJson(object)) as JsonObject;
}

describe("a server whose object versions share unchanged parts", () => {
  it("answers as a server that copies every object", async () => {
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 2, maxLength: 12 }), async (writes) => {
        const [sharing, copied] = [await Server.open(true), await Server.open(false)];
        for (const each of [...made, ...writes]) {
          const answer = await sharing.answer(each);
          expect(answer).toEqual(await copied.answer(each));
          if (!answer[0]?.includes('"kind":"Status"')) stored += 1;
        }
      }),
      { numRuns: 150 },
    );
    expect(stored).toBeGreaterThan(600);
  }, 60_000);
});
