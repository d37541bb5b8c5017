import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ManagedFieldsEntry } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutNulls } from "../strategic/directives.ts";
import { conflictStatus } from "./apply-conflict.ts";
import { applyPatch } from "./apply-patch.ts";
import { type FieldScope, resetFieldsOf } from "./field-scope.ts";
import { trackUpdate } from "./track-update.ts";

const text = { type: "string" } as const;
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        data: { type: "object", additionalProperties: text },
        inner: { type: "object", properties: { a: text, b: text } },
        atoms: { type: "array", items: text },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        containers: {
          type: "array",
          items: { type: "object", properties: { name: text, image: text, args: { type: "array", items: text } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};

function scopeOf(version: string, subresource: string): FieldScope {
  return {
    apiVersion: `example.com/${version}`,
    kind: "Thing",
    subresource,
    schemaOf: (apiVersion) => (/^example\.com\/v[12]$/.test(apiVersion) ? schema : undefined),
    resetFields: resetFieldsOf(true, subresource),
  };
}

interface Write {
  readonly by: string;
  readonly spec?: JsonValue;
  readonly status?: JsonValue;
  readonly metadata?: JsonObject;
  readonly force?: boolean;
  readonly version?: string;
  readonly subresource?: string;
}

/** Applies a series of writes to one object, one each second from the start of 2020, and stores it without nulls as the server does. */
class History {
  object: JsonObject | undefined;
  #seconds = 1_577_836_800;

  update(write: Write): this {
    const updated = this.#sent(write);
    const { manager, scope, nowMs } = this.#request(write);
    this.#store(updated, trackUpdate({ live: this.object, updated, manager, scope, nowMs }));
    return this;
  }

  apply(write: Write): this {
    const failed = this.tryApply(write);
    if (failed !== undefined) throw new Error(failed);
    return this;
  }

  /** Returns the message of a failure. */
  tryApply(write: Write): string | undefined {
    const { force = false } = write;
    const request = { live: this.object, applied: this.#sent(write), force, ...this.#request(write) };
    const result = applyPatch(request);
    if (result.outcome === "conflicts") return conflictStatus(result.conflicts).message;
    this.#store(result.object, result.managedFields);
    return undefined;
  }

  get spec(): JsonValue | undefined {
    return this.object?.["spec"];
  }

  get managedFields(): readonly ManagedFieldsEntry[] {
    return ((this.object?.["metadata"] as JsonObject | undefined)?.["managedFields"] ??
      []) as unknown as ManagedFieldsEntry[];
  }

  /** Each owner with its fields, and the second of its last change. */
  get owners(): Record<string, unknown> {
    const owned = this.managedFields.map(({ manager, operation, time, fieldsV1 }) => [
      `${operation} ${manager} ${time?.slice(17, 19) ?? "-"}`,
      fieldsV1,
    ]);
    return Object.fromEntries(owned);
  }

  #request({ by, version = "v1", subresource = "" }: Write) {
    const nowMs = this.#seconds * 1000 + 999;
    this.#seconds += 1;
    return { manager: by, scope: scopeOf(version, subresource), nowMs };
  }

  #sent({ spec, status, metadata, version = "v1" }: Write): JsonObject {
    return {
      apiVersion: `example.com/${version}`,
      kind: "Thing",
      metadata: { name: "x", namespace: "ns", ...metadata },
      ...(spec === undefined ? {} : { spec }),
      ...(status === undefined ? {} : { status }),
    };
  }

  #store(object: JsonObject, managedFields: readonly ManagedFieldsEntry[] | undefined): void {
    const { managedFields: _, ...metadata } = object["metadata"] as JsonObject;
    const owned = managedFields === undefined ? {} : { managedFields: managedFields as unknown as JsonValue };
    this.object = withoutNulls({ ...object, metadata: { ...metadata, uid: "1", ...owned } }) as JsonObject;
  }
}

const all = { "f:replicas": {} };

describe("server-side apply", () => {
  it("creates an object, owned by its applier", () => {
    const history = new History().apply({ by: "a", spec: { replicas: 1, data: { k: "v" } } });
    expect(history.spec).toEqual({ replicas: 1, data: { k: "v" } });
    expect(history.managedFields).toEqual([
      {
        manager: "a",
        operation: "Apply",
        apiVersion: "example.com/v1",
        time: "2020-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:data": { "f:k": {} }, "f:replicas": {} } },
      },
    ]);
  });

  it("removes what it no longer applies", () => {
    const history = new History()
      .apply({ by: "a", spec: { replicas: 1, inner: { a: "1", b: "2" }, data: { k: "v" }, tags: ["x", "y"] } })
      .apply({ by: "a", spec: { inner: { b: "2" }, tags: ["y"] } });
    expect(history.spec).toEqual({ inner: { b: "2" }, tags: ["y"] });
    expect(history.owners).toEqual({
      "Apply a 01": { "f:spec": { "f:inner": { "f:b": {} }, "f:tags": { 'v:"y"': {} } } },
    });
  });

  it("keeps fields that another manager owns too", () => {
    const history = new History()
      .apply({ by: "a", spec: { replicas: 1, data: { k: "v", l: "w" } } })
      .apply({ by: "b", spec: { replicas: 1, data: { k: "v" } } })
      .apply({ by: "a", spec: {} });
    expect(history.spec).toEqual({ replicas: 1, data: { k: "v" } });
    expect(Object.keys(history.owners)).toEqual(["Apply b -", "Apply a 02"]);
  });

  it("removes an item with fields of others, unless they own the item", () => {
    const history = new History()
      .apply({ by: "a", spec: { containers: [{ name: "c", image: "1" }] } })
      .update({ by: "u", spec: { containers: [{ name: "c", image: "1", args: ["x"] }] } })
      .apply({ by: "a", spec: {} });
    expect(history.spec).toEqual({});
    expect(Object.keys(history.owners)).toEqual(["Apply a 02"]);
  });

  it("does nothing when nothing changes, and keeps the times", () => {
    const write = { by: "a", spec: { replicas: 1, tags: ["x"] } };
    const history = new History().apply(write);
    const before = history.object;
    expect(history.apply(write).object).toEqual(before);
  });

  it("changes nothing when repeated, for configurations that name a leaf everywhere", () => {
    const name = fc.constantFrom("a", "b", "c");
    const spec = fc.record({
      replicas: fc.nat(2),
      tags: fc.uniqueArray(name, { minLength: 1 }),
      inner: fc.record({ a: name }),
    });
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const history = new History().apply({ by: "a", spec: first }).apply({ by: "b", spec: second, force: true });
        const write = { by: "a", spec: first, force: true };
        const once = history.apply(write).object;
        expect(history.apply(write).object).toEqual(once);
      }),
    );
  });

  it("keeps the time of a manager when an apply only adds an owner", () => {
    const history = new History().apply({ by: "a", spec: { replicas: 1 } }).apply({ by: "b", spec: { replicas: 1 } });
    expect(history.owners).toEqual({ "Apply b -": { "f:spec": all }, "Apply a 00": { "f:spec": all } });
  });

  it("is rejected with a conflict that lists the managers of the fields", () => {
    const history = new History()
      .apply({ by: "a", spec: { replicas: 1, containers: [{ name: "c", image: "1" }] } })
      .update({ by: "u", spec: { replicas: 1, containers: [{ name: "c", image: "1" }], atoms: ["x"] } });
    expect(history.tryApply({ by: "b", spec: { replicas: 2 } })).toBe(
      'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
    );
    expect(history.tryApply({ by: "b", spec: { atoms: [] } })).toBe(
      'Apply failed with 1 conflict: conflict with "u" using example.com/v1: .spec.atoms',
    );
    const spec = { replicas: 2, atoms: ["y"], containers: [{ name: "c", image: "2" }] };
    expect(history.tryApply({ by: "b", spec })).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "a":',
        "- .spec.replicas",
        '- .spec.containers[name="c"].image',
        'conflicts with "u" using example.com/v1:',
        "- .spec.atoms",
      ].join("\n"),
    );
  });

  it("answers a conflict as Kubernetes does", () => {
    const live = new History().update({ by: "u", status: { phase: "x" }, subresource: "status" });
    const applied = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x" }, status: { phase: "y" } };
    const scope = scopeOf("v1", "status");
    const result = applyPatch({ live: live.object, applied, manager: "a", force: false, scope, nowMs: 0 });
    expect(result.outcome === "conflicts" && conflictStatus(result.conflicts)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Conflict",
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "u" with subresource "status" using example.com/v1: .status.phase',
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "u" with subresource "status" using example.com/v1',
            field: ".status.phase",
          },
        ],
      },
    });
  });

  it("takes over fields with force", () => {
    const history = new History()
      .apply({ by: "a", spec: { replicas: 1 } })
      .apply({ by: "b", spec: { replicas: 2 }, force: true });
    expect(history.spec).toEqual({ replicas: 2 });
    expect(Object.keys(history.owners)).toEqual(["Apply b 01"]);
  });

  it("treats an applier as the same manager in every version", () => {
    const history = new History()
      .apply({ by: "a", spec: { replicas: 1 } })
      .apply({ by: "a", spec: { tags: ["x"] }, version: "v2" });
    expect(history.spec).toEqual({ tags: ["x"] });
    expect(history.managedFields.map(({ apiVersion }) => apiVersion)).toEqual(["example.com/v2"]);
  });

  it("forgets owners in versions that are no longer served", () => {
    const fieldsV1 = { "f:spec": { "f:replicas": {} } };
    const stale = {
      manager: "old",
      operation: "Update",
      apiVersion: "example.com/v0",
      fieldsType: "FieldsV1",
      fieldsV1,
    };
    const history = new History();
    const metadata = { name: "x", uid: "1", managedFields: [stale] };
    history.object = { apiVersion: "example.com/v1", kind: "Thing", metadata, spec: { replicas: 1 } };
    history.apply({ by: "a", spec: { replicas: 2 } });
    expect(Object.keys(history.owners)).toEqual(["Apply a 00"]);
  });

  it("assigns earlier fields to before-first-apply", () => {
    const history = new History();
    history.object = {
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { name: "x", uid: "1" },
      spec: { replicas: 1 },
    };
    expect(history.tryApply({ by: "a", spec: { replicas: 2 } })).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.replicas',
    );
    history.apply({ by: "a", spec: { tags: ["x"] } });
    expect(history.owners).toEqual({
      "Apply a 01": { "f:spec": { "f:tags": { 'v:"x"': {} } } },
      "Update before-first-apply 01": { "f:spec": { ".": {}, "f:replicas": {} } },
    });
  });

  it("owns no fields that its endpoint cannot write", () => {
    const history = new History().apply({ by: "a", spec: { replicas: 1 }, status: { phase: "x" } });
    expect(history.owners).toEqual({ "Apply a 00": { "f:spec": { "f:replicas": {} } } });
  });

  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  const configured = (replicas: number): JsonObject => ({
    annotations: { [lastApplied]: `{"apiVersion":"example.com/v1","kind":"Thing","spec":{"replicas":${replicas}}}` },
  });

  it("lets kubectl take over its client-side applied fields, and updates the annotation", () => {
    const history = new History().update({
      by: "kubectl-client-side-apply",
      spec: { replicas: 1 },
      metadata: configured(1),
    });
    expect(history.tryApply({ by: "other", spec: { replicas: 2 } })).toContain("Apply failed with 1 conflict");
    history.apply({ by: "kubectl", spec: { replicas: 2 } });
    const { annotations } = (history.object as { metadata: { annotations: JsonObject } } & JsonObject).metadata;
    expect(annotations[lastApplied]).toBe(
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x","namespace":"ns"},"spec":{"replicas":2}}\n',
    );
  });

  it("does not let kubectl take over fields changed since", () => {
    const history = new History().update({
      by: "kubectl-client-side-apply",
      spec: { replicas: 5 },
      metadata: configured(1),
    });
    expect(history.tryApply({ by: "kubectl", spec: { replicas: 2 } })).toContain(".spec.replicas");
  });

  const rejected: Record<string, [applied: JsonObject, code: number, message: string]> = {
    "another kind": [
      { apiVersion: "apps/v1", kind: "Deployment" },
      400,
      "invalid object type: apps/v1, Kind=Deployment",
    ],
    "no kind": [{ apiVersion: "v1" }, 400, "invalid object type: /v1, Kind="],
    "managed fields": [
      { apiVersion: "example.com/v1", kind: "Thing", metadata: { managedFields: [] } },
      400,
      "metadata.managedFields must be nil",
    ],
    "unknown fields": [
      { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "x", namespace: "ns" }, spec: { foo: 1 } },
      500,
      "failed to create typed patch object (ns/x; example.com/v1, Kind=Thing): .spec.foo: field not declared in schema",
    ],
    "an item without its key": [
      { apiVersion: "example.com/v1", kind: "Thing", spec: { containers: [{ image: "1" }] } },
      500,
      'failed to create typed patch object (/; example.com/v1, Kind=Thing): .spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    "an item twice": [
      { apiVersion: "example.com/v1", kind: "Thing", spec: { tags: ["a", "a"] } },
      500,
      'failed to create typed patch object (/; example.com/v1, Kind=Thing): .spec.tags: duplicate entries for key [="a"]',
    ],
  };
  for (const [name, [applied, code, message]] of Object.entries(rejected)) {
    it(`rejects ${name}`, () => {
      const scope = scopeOf("v1", "");
      const apply = () => applyPatch({ live: undefined, applied, manager: "a", force: true, scope, nowMs: 0 });
      expect(apply).toThrow(StatusError);
      try {
        apply();
      } catch (error) {
        expect((error as StatusError).status).toMatchObject({ code, message });
      }
    });
  }

  it("never throws or changes its input, and converges, after any writes", () => {
    const name = fc.constantFrom("a", "b", "c");
    const spec = fc.record(
      {
        replicas: fc.nat(2),
        data: fc.dictionary(name, name),
        tags: fc.uniqueArray(name),
        atoms: fc.array(name, { maxLength: 2 }),
        containers: fc.uniqueArray(fc.record({ name, image: name }), { selector: (item) => item.name }),
      },
      { requiredKeys: [] },
    );
    const write = fc.record({
      by: name,
      spec,
      force: fc.boolean(),
      version: fc.constantFrom("v1", "v2"),
      isApply: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(write, { minLength: 1, maxLength: 6 }), (writes) => {
        const history = new History();
        for (const { isApply, ...each } of writes) {
          const before = JSON.stringify(history.object);
          const live = history.object;
          if (isApply) history.tryApply(each);
          else history.update(each);
          expect(JSON.stringify(live)).toBe(before);
        }
        const last = { by: "a", spec: writes[0]?.spec as JsonValue, force: true };
        // A value that is pruned to nothing becomes null and is removed; the second apply may restore the empty object
        // it names.
        const settled = history.apply(last).apply(last).object;
        expect(history.apply(last).object).toEqual(settled);
      }),
      { numRuns: 60 },
    );
  });
});
