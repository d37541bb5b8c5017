import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { walkObject } from "@milo-quota/kubernetes/schema/walk.ts";
import { describe, expect, it } from "vitest";
import { builtinKinds } from "./builtin-kinds.ts";
import { describedNames } from "./descriptions.ts";
import type { GoType } from "./typed/go-type.ts";
import { kindStruct } from "./typed/kind-struct.ts";
import { structSchema } from "./typed/struct-schema.ts";
import { openApiName, structNames, structOf } from "./typed/struct-table.ts";

const expected = `ConfigMap Event Namespace PersistentVolumeClaim Pod Secret ServiceAccount Service MutatingWebhookConfiguration ValidatingWebhookConfiguration CustomResourceDefinition Deployment TokenReview
  SelfSubjectReview SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview Lease
  EndpointSlice Event ClusterRoleBinding ClusterRole RoleBinding Role`;

function kind(name: string) {
  const found = builtinKinds.find((each) => each.kind === name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

describe("the table of definitions", () => {
  it("holds every type that its types refer to", () => {
    const used = (type: GoType): string[] => {
      if (type.form === "struct") return [type.name];
      return type.form === "pointer" || type.form === "slice" || type.form === "map" ? used(type.of) : [];
    };
    const known = new Set(structNames());
    for (const name of known) {
      for (const field of structOf(name).fields.values()) {
        for (const type of used(field.type)) expect(known, `${name}.${field.name}`).toContain(type);
      }
      expect(openApiName(name)).toMatch(/^io\.k8s\./);
    }
    expect(known.size).toBeGreaterThan(200);
  });

  it("declares list map keys that are fields of the items", () => {
    for (const name of structNames()) {
      for (const { type, list, name: field } of structOf(name).fields.values()) {
        if (list?.type !== "map" || type.form !== "slice" || type.of.form !== "struct") continue;
        for (const key of list.keys)
          expect(structOf(type.of.name).fields, `${name}.${field}`).toContainEqual([key, expect.anything()]);
      }
    }
  });

  it("has every described type and field", () => {
    for (const name of describedNames) {
      const isStruct = structNames().includes(name);
      const dot = name.lastIndexOf(".");
      expect(isStruct || structOf(name.slice(0, dot)).fields.has(name.slice(dot + 1)), name).toBe(true);
    }
  });
});

describe("the list of kinds", () => {
  it("has every kind without duplicates", () => {
    expect(builtinKinds.map((each) => each.kind)).toEqual(expected.split(/\s+/));
    expect(new Set(builtinKinds.map(({ group, plural }) => `${plural}.${group}`)).size).toBe(builtinKinds.length);
    for (const each of builtinKinds) expect(structNames()).toContain(kindStruct(each));
  });

  it("has unique short names", () => {
    const names = builtinKinds.filter(({ kind: name }) => name !== "Event").flatMap(({ shortNames }) => shortNames);
    expect(new Set(names).size).toBe(names.length);
  });

  const verbs: Record<string, [kind: string, verbs: string]> = {
    "most kinds have all verbs": ["ConfigMap", "create delete deletecollection get list patch update watch"],
    "namespaces have no deletecollection": ["Namespace", "create delete get list patch update watch"],
    "reviews can only be created": ["SubjectAccessReview", "create"],
  };
  for (const [name, [each, words]] of Object.entries(verbs)) {
    it(name, () => {
      expect(kind(each).verbs).toEqual(words.split(" "));
    });
  }

  const names: Record<string, [kind: string, good: string, bad: string]> = {
    "a namespace is a DNS label": ["Namespace", "a-1", "a.b"],
    "a service starts with a letter": ["Service", "a1", "1a"],
    "a role may contain colons": ["Role", "system:node", "a/b"],
    "a config map is a subdomain": ["ConfigMap", "a.b", "A"],
  };
  for (const [name, [each, good, bad]] of Object.entries(names)) {
    it(name, () => {
      expect(kind(each).nameRule(good)).toEqual([]);
      expect(kind(each).nameRule(bad)).not.toEqual([]);
    });
  }
});

describe("the schema of a built-in kind", () => {
  it("reports unknown fields at any depth", () => {
    const object = {
      kind: "Pod",
      foo: 1,
      spec: { bar: 2, containers: [{ name: "a", imag: "b", ports: [{ port: 1 }] }] },
    };
    const { unknownFields } = walkObject(kind("Pod").schema, object);
    expect(unknownFields).toEqual(["foo", "spec.bar", "spec.containers[0].imag", "spec.containers[0].ports[0].port"]);
  });

  it("terminates for a recursive type", () => {
    const schema = structSchema("apiextensions.v1.JSONSchemaProps");
    const deep = { properties: { a: { properties: { b: { foo: 1 } } } }, not: { bar: 1 } };
    expect(walkObject(schema, deep).unknownFields).toEqual(["properties.a.properties.b.foo", "not.bar"]);
    const again = schema.properties.get("not")?.properties.get("not")?.schema.properties;
    expect(Object.keys(again ?? {})).toEqual(Object.keys(schema.schema.properties ?? {}));
  });

  it("has the merge strategy of lists", () => {
    const at = (compiled: CompiledSchema | undefined, ...path: string[]) =>
      path.reduce<CompiledSchema | undefined>(
        (now, step) => (step === "[]" ? now?.items : now?.properties.get(step)),
        compiled,
      );
    const containers = at(kind("Pod").schema, "spec", "containers")?.schema;
    expect(containers).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    });
    expect(at(kind("Pod").schema, "spec", "containers", "[]", "ports", "[]", "protocol")?.schema.default).toBe("TCP");
    expect(at(kind("Service").schema, "spec", "selector")?.schema["x-kubernetes-map-type"]).toBe("atomic");
  });
});
