import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failureWithoutReason, invalidObject, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { notSupported } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import { typeFault } from "@milo-quota/kubernetes/protocol/json-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { decodeIssue } from "../../registry/builtin/typed/decode-issue.ts";
import type { DeleteOptions } from "../../registry/object-request.ts";
import { readYaml } from "../../registry/yaml/read-yaml.ts";
import { contentType, protobuf, protobufBody, readJsonBody, unsupportedMediaType } from "./body.ts";
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
  const accepted = ["application/json", "application/yaml", protobuf];
  if (type !== "" && !accepted.includes(type)) throw unsupportedMediaType(accepted);
  if (type === protobuf) {
    return protobufBody({ ...request, body: async () => body }, { apiVersion: "v1", kind: "DeleteOptions" });
  }
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return type === "application/yaml" ? readYaml(text) : readJsonBody(text);
}

function fromBody(value: JsonValue): Given {
  if (!isJsonObject(value)) throw unreadable(value);
  if (value["kind"] !== undefined && value["kind"] !== "DeleteOptions") {
    const [kind, version] = [String(value["kind"]), String(value["apiVersion"] ?? "v1")];
    throw new StatusError(failureWithoutReason(`no kind ${quote(kind)} is registered for version ${quote(version)}`));
  }
  const issue = decodeIssue("meta.v1.DeleteOptions", value);
  if (issue !== undefined) throw new StatusError(failureWithoutReason(issue));
  const preconditions = isJsonObject(value["preconditions"] ?? null) ? (value["preconditions"] as JsonObject) : {};
  const dryRun = Array.isArray(value["dryRun"]) ? value["dryRun"] : [];
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

/** Types were checked when the options were decoded. */
function typed<Name extends keyof Types>(object: JsonObject, field: string, type: Name): Types[Name] | undefined {
  const value = object[field];
  return typeof value === type ? (value as unknown as Types[Name]) : undefined;
}

type Loose = { readonly [Field in keyof DeleteOptions]: DeleteOptions[Field] | undefined };

function given(options: Loose): DeleteOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as DeleteOptions;
}

function unreadable(value: JsonValue): StatusError {
  const fault = typeFault("object", value);
  return new StatusError(failureWithoutReason(`couldn't get version/kind; json parse error: ${fault}`));
}
