import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { compileSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import { describe, expect, it } from "vitest";
import { allVerbs } from "../../registry/builtin/builtin-kind.ts";
import { builtinKinds } from "../../registry/builtin/builtin-kinds.ts";
import type { KindCatalog } from "../../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { OpenApiDocuments } from "./documents.ts";
import { openApiPaths } from "./openapi-paths.ts";

const project: ServedKind = {
  group: "example.com",
  version: "v1alpha1",
  kind: "Project",
  listKind: "ProjectList",
  plural: "projects",
  singular: "project",
  shortNames: [],
  categories: [],
  scope: "Cluster",
  storageVersion: "v1alpha1",
  schema: compileSchema({
    type: "object",
    description: "A project.",
    properties: {
      spec: {
        type: "object",
        required: ["owner"],
        properties: { owner: { type: "string" }, size: { type: "integer", nullable: true } },
        "x-kubernetes-validations": [{ rule: "true", holds: () => true }],
      },
    },
  }),
  isCustom: true,
  hasStatus: true,
  hasGeneration: true,
  verbs: allVerbs,
  nameRule: () => [],
  columns: [],
  selectableFields: [],
  rules: {},
};
const kinds: readonly ServedKind[] = [...builtinKinds, project];
const documents = new OpenApiDocuments();

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

function documentAt(path: string): Document {
  return JSON.parse(documents.document(kinds, path)?.text ?? "null");
}

const index = JSON.parse(documents.index(kinds).text) as {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
};
const paths = Object.keys(index.paths);

function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member] : references(member),
  );
}

describe("the index of documents", () => {
  it("lists every group version with the hash of its document", () => {
    expect(paths).toEqual([
      "api/v1",
      "apis/admissionregistration.k8s.io/v1",
      "apis/apiextensions.k8s.io/v1",
      "apis/apps/v1",
      "apis/authentication.k8s.io/v1",
      "apis/authorization.k8s.io/v1",
      "apis/coordination.k8s.io/v1",
      "apis/discovery.k8s.io/v1",
      "apis/events.k8s.io/v1",
      "apis/example.com/v1alpha1",
      "apis/rbac.authorization.k8s.io/v1",
    ]);
    for (const path of paths) {
      const hash = documents.document(kinds, path)?.hash;
      expect(index.paths[path]?.serverRelativeURL).toBe(`/openapi/v3/${path}?hash=${hash}`);
    }
  });
});

describe("every document", () => {
  for (const path of paths) {
    it(`${path} resolves all its references`, () => {
      const document = documentAt(path);
      const known = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`));
      expect(references(document).filter((target) => !known.has(target))).toEqual([]);
    });
  }

  it("has the schema of each kind, and its operations under its paths", () => {
    for (const kind of kinds) {
      const { group, version } = kind;
      const document = documentAt(group === "" ? `api/${version}` : `apis/${group}/${version}`);
      const gvk = { group, kind: kind.kind, version };
      const marked = Object.values(document.components.schemas).filter((schema) =>
        (schema["x-kubernetes-group-version-kind"] as readonly object[] | undefined)?.some(
          (each) => JSON.stringify(each) === JSON.stringify(gvk),
        ),
      );
      expect(marked, kind.kind).toHaveLength(1);
      expect(marked[0]?.["description"], kind.kind).toBeTruthy();
      const actions = Object.values(document.paths)
        .flatMap((operations) => Object.values(operations))
        .filter((operation) => JSON.stringify(operation["x-kubernetes-group-version-kind"]) === JSON.stringify(gvk))
        .map((operation) => operation["x-kubernetes-action"]);
      expect(actions).toContain("post");
      expect(actions.includes("list"), kind.kind).toBe(kind.verbs.includes("list"));
    }
  });

  it("has unique operation IDs", () => {
    for (const path of paths) {
      const ids = Object.values(documentAt(path).paths)
        .flatMap((operations) => Object.values(operations))
        .map((operation) => operation["operationId"])
        .filter((id) => id !== undefined);
      expect(new Set(ids).size, path).toBe(ids.length);
    }
  });
});

describe("information that kubectl reads", () => {
  const patchOf = (path: string, at: string) => documentAt(path).paths[at]?.["patch"] as Record<string, unknown>;

  it("is the field validation of patches", () => {
    const patch = patchOf("api/v1", "/api/v1/namespaces/{namespace}/configmaps/{name}");
    const names = (patch["parameters"] as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
  });

  it("is a strategic merge patch for built-in kinds only", () => {
    const types = (patch: Record<string, unknown>) =>
      Object.keys((patch["requestBody"] as { readonly content: object }).content);
    const strategic = "application/strategic-merge-patch+json";
    expect(types(patchOf("apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"))).toContain(
      strategic,
    );
    expect(types(patchOf("apis/example.com/v1alpha1", "/apis/example.com/v1alpha1/projects/{name}"))).not.toContain(
      strategic,
    );
  });

  it("is the merge strategy of lists", () => {
    const spec = documentAt("apis/apps/v1").components.schemas["io.k8s.api.core.v1.PodSpec"];
    expect((spec?.["properties"] as Record<string, unknown> | undefined)?.["containers"]).toEqual({
      type: "array",
      description: "The containers of the pod. At least one is required.",
      items: { $ref: "#/components/schemas/io.k8s.api.core.v1.Container" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "name",
    });
    expect(spec?.["required"]).toEqual(["containers"]);
  });

  it("is the schema of a custom kind, metadata included", () => {
    const schema = documentAt("apis/example.com/v1alpha1").components.schemas["com.example.v1alpha1.Project"];
    expect(schema).toMatchObject({
      type: "object",
      description: "A project.",
      properties: {
        metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
        spec: { required: ["owner"], properties: { owner: { type: "string" } } },
      },
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Project", version: "v1alpha1" }],
    });
  });

  it("is the finalize subresource of namespaces, and the status subresource of kinds that have one", () => {
    const core = Object.keys(documentAt("api/v1").paths);
    expect(core).toContain("/api/v1/namespaces/{name}/finalize");
    expect(core).toContain("/api/v1/namespaces/{namespace}/pods/{name}/status");
    expect(core).not.toContain("/api/v1/namespaces/{namespace}/configmaps/{name}/status");
  });
});

describe("the OpenAPI v2 document", () => {
  const swagger = JSON.parse(documents.swagger(kinds).text) as {
    readonly definitions: Readonly<Record<string, unknown>>;
  };
  it("resolves all its references, and has every kind", () => {
    const known = new Set(Object.keys(swagger.definitions).map((name) => `#/definitions/${name}`));
    expect(references(swagger).filter((target) => !known.has(target))).toEqual([]);
    expect(known).toContain("#/definitions/io.k8s.api.core.v1.Pod");
    expect(known).toContain("#/definitions/com.example.v1alpha1.Project");
  });

  it("has no keywords of OpenAPI v3, except fields with the same names", () => {
    const jsonSchema = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    expect(swagger.definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).not.toHaveProperty("oneOf");
    expect(swagger.definitions["com.example.v1alpha1.Project"]).not.toHaveProperty(
      "properties.spec.properties.size.nullable",
    );
    expect(swagger.definitions[jsonSchema]).toHaveProperty("properties.oneOf.items");
    expect(swagger.definitions[jsonSchema]).toHaveProperty("properties.default");
  });
});

describe("OpenAPI responses", () => {
  const serve = openApiPaths({ inPlane: () => ({ all: kinds }) } as unknown as KindCatalog);
  const fetch = (
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<ApiResponse | undefined> => {
    const { pathname, searchParams } = new URL(path, "http://host");
    const lists = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [value]]));
    const request = { method, path: `/plane${pathname}`, query: searchParams, headers: lists };
    return serve({ request, plane: "", path: pathname } as unknown as RequestContext);
  };
  const hash = documents.document(kinds, "api/v1")?.hash ?? "";

  it("carry the hash as ETag, and answer 304 to a matching If-None-Match", async () => {
    const first = await fetch("/openapi/v3/api/v1");
    expect(first).toMatchObject({ code: 200, headers: { etag: `"${hash}"`, "content-type": "application/json" } });
    const again = await fetch("/openapi/v3/api/v1", { "if-none-match": `"other", "${hash}"` });
    expect(again).toMatchObject({ code: 304, body: "" });
  });

  it("are immutable under their hash", async () => {
    const answer = await fetch(`/openapi/v3/api/v1?hash=${hash}`);
    expect(answer?.headers["cache-control"]).toContain("immutable");
  });

  it("redirect from an old hash to the current one, in the same plane", async () => {
    const answer = await fetch("/openapi/v3/api/v1?hash=OLD");
    expect(answer).toMatchObject({ code: 301, headers: { location: `/plane/openapi/v3/api/v1?hash=${hash}` } });
  });

  const codes: Record<string, [path: string, accept: string, code: number | undefined]> = {
    "the index": ["/openapi/v3", "application/json, */*", 200],
    "version 2 as JSON": ["/openapi/v2", "application/json", 200],
    "version 2 as a protocol buffer": [
      "/openapi/v2",
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
      200,
    ],
    "version 2 in an unsupported media type": ["/openapi/v2", "application/cbor", 406],
    "version 3 as a version 2 message": [
      "/openapi/v3",
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
      406,
    ],
    "an unknown group": ["/openapi/v3/apis/unknown/v1", "*/*", undefined],
    "another path": ["/openapi", "*/*", undefined],
  };
  for (const [name, [path, accept, code]] of Object.entries(codes)) {
    it(`${name}: ${code ?? "not handled"}`, async () => {
      expect((await fetch(path, { accept }))?.code).toBe(code);
    });
  }

  it("are served for reads only", async () => {
    expect(await fetch("/openapi/v3", {}, "POST")).toBeUndefined();
  });

  it("are rendered once for planes with the same kinds", () => {
    const one = documents.document(kinds, "api/v1");
    expect(documents.document([...builtinKinds], "api/v1")).toBe(one);
  });
});
