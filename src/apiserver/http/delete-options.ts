import { failure, invalidObject, StatusError, unexplained } from "../../protocol/api-status.ts";
import { notSupported } from "../../protocol/field-issue.ts";
import { quote } from "../../protocol/go-quote.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../protocol/json-value.ts";
import type { DeleteOptions } from "../registry/delete.ts";
import { readYaml } from "../registry/read-yaml.ts";
import type { ApiRequest } from "./api-request.ts";
import { contentType, protobuf, protobufBody, readJsonBody } from "./body.ts";
import { booleanParameter, integerParameter } from "./query.ts";

export interface ParsedDelete {
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

/** From the body if there is one, else from the query. */
export async function parseDeleteOptions(request: ApiRequest): Promise<ParsedDelete> {
  const value = await optionsIn(request);
  const parsed = value === undefined ? fromQuery(request.query) : fromBody(value);
  const dryRun = parsed.dryRun.filter((value) => value !== "");
  if (dryRun.some((value) => value !== "All")) {
    const issue = notSupported("dryRun", dryRun, ["All"]);
    throw new StatusError(invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [issue]));
  }
  return { options: parsed.options, dryRun: dryRun.length > 0 };
}

interface Given {
  readonly options: DeleteOptions;
  readonly dryRun: readonly string[];
}

function fromQuery(query: URLSearchParams): Given {
  return {
    options: given({
      propagationPolicy: query.get("propagationPolicy") ?? undefined,
      orphanDependents: booleanParameter(query, "orphanDependents"),
      gracePeriodSeconds: integerParameter(query, "gracePeriodSeconds"),
    }),
    dryRun: query.getAll("dryRun"),
  };
}

/** Undefined when there is no body. */
async function optionsIn(request: ApiRequest): Promise<JsonValue | undefined> {
  const body = await request.body();
  if (body.length === 0) return undefined;
  const type = contentType(request);
  if (type === protobuf) {
    return protobufBody({ ...request, body: async () => body }, { apiVersion: "v1", kind: "DeleteOptions" });
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return type === "application/yaml" ? readYaml(text) : readJsonBody(text);
}

function fromBody(value: JsonValue): Given {
  if (!isJsonObject(value)) throw bad("the body has to be an object of kind DeleteOptions");
  if (value["kind"] !== undefined && value["kind"] !== "DeleteOptions") {
    const [kind, version] = [String(value["kind"]), String(value["apiVersion"] ?? "v1")];
    const message = `no kind ${quote(kind)} is registered for version ${quote(version)} in scheme "pkg/runtime/scheme.go:110"`;
    throw new StatusError(unexplained(message));
  }
  const preconditions = isJsonObject(value["preconditions"] ?? null) ? (value["preconditions"] as JsonObject) : {};
  const dryRun = value["dryRun"] ?? [];
  if (!Array.isArray(dryRun)) throw bad("dryRun has to be a list of strings");
  return {
    options: given({
      uid: typed(preconditions, "uid", "string"),
      resourceVersion: typed(preconditions, "resourceVersion", "string"),
      propagationPolicy: typed(value, "propagationPolicy", "string"),
      orphanDependents: typed(value, "orphanDependents", "boolean"),
      gracePeriodSeconds: typed(value, "gracePeriodSeconds", "number"),
    }),
    dryRun: dryRun.map(String),
  };
}

interface Types {
  readonly string: string;
  readonly boolean: boolean;
  readonly number: number;
}

function typed<Name extends keyof Types>(object: JsonObject, field: string, type: Name): Types[Name] | undefined {
  const value = object[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === type) return value as unknown as Types[Name];
  throw bad(`json: cannot unmarshal ${typeof value} into Go struct field DeleteOptions.${field} of type ${type}`);
}

type Loose = { readonly [Field in keyof DeleteOptions]: DeleteOptions[Field] | undefined };

function given(options: Loose): DeleteOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as DeleteOptions;
}

function bad(message: string): StatusError {
  return new StatusError(failure("BadRequest", message));
}
