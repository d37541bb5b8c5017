import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** The representation a client accepts for objects. */
export type Representation = "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

export interface Accepted {
  readonly format: "json" | "yaml";
  readonly representation: Representation;
  /** Indented for people, as for browsers and curl. */
  readonly pretty: boolean;
}

const served = ["application/json", "application/yaml"];

/** Picks the first media type in the client's order that this server supports. */
export function negotiate(accept: string, pretty: boolean, isWatch: boolean, isStream = false): Accepted {
  if (accept === "application/json") return { format: "json", representation: "object", pretty };
  const wanted = accept.trim() === "" ? "*/*" : accept;
  const clauses = wanted
    .split(",")
    .map(parseClause)
    .sort((left, right) => right.quality - left.quality);
  for (const clause of clauses) {
    const format = formatOf(clause.type);
    const representation = representationOf(clause.parameters);
    if (format === "yaml" && isStream) continue;
    if (format !== undefined && representation !== undefined) return { format, representation, pretty };
  }
  if (isStream) throw notAcceptable(streams);
  if (clauses.some(({ type }) => formatOf(type) !== undefined)) throw notAcceptable(served.join(", "));
  const available = [...served, ...(isWatch ? served.filter((type) => type !== "application/yaml").map(asStream) : [])];
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`;
  throw new StatusError(failure("NotAcceptable", message, {}));
}

function notAcceptable(types: string): StatusError {
  return new StatusError(failure("NotAcceptable", `only the following media types are accepted: ${types}`));
}

const streams = ["application/json", "application/vnd.kubernetes.protobuf"].map(asStream).join(", ");

function asStream(type: string): string {
  return `${type};stream=watch`;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function parseClause(text: string): Clause {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part) => {
      const equals = part.indexOf("=");
      return equals < 0 ? ([part, ""] as const) : ([part.slice(0, equals), part.slice(equals + 1)] as const);
    }),
  );
  const quality = Number(parameters.get("q") ?? "1");
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? quality : 1 };
}

function formatOf(type: string): Accepted["format"] | undefined {
  if (type === "application/json" || type === "*/*") return "json";
  return type === "application/yaml" ? "yaml" : undefined;
}

/** Undefined for an unsupported representation; the next clause may be supported. */
function representationOf(parameters: ReadonlyMap<string, string>): Representation | undefined {
  const as = parameters.get("as");
  if (as === undefined) return "object";
  const isMeta = parameters.get("g") === "meta.k8s.io" && parameters.get("v") === "v1";
  const known = as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
  return isMeta && known ? as : undefined;
}
