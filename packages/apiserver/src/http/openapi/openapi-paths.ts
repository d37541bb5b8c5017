import type { ApiAnswer, ApiRequest, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { KindCatalog } from "../../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { firstHeader } from "../access/authenticator.ts";
import { plainAnswer } from "../answers/answers.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { type OpenApiDocument, OpenApiDocuments, type OpenApiMessage } from "./documents.ts";
import { askedMessageType, swaggerMessageType } from "./swagger-message.ts";

const root = "/openapi/v3";
const yearSeconds = 31_536_000;
const notAcceptable = plainAnswer(406, "406: Not Acceptable\n\nAvailable representations: application/json\n");

/** Answers the paths of OpenAPI documents, of the kinds that the plane of the request serves. */
export function openApiPaths(kinds: KindCatalog) {
  const documents = new OpenApiDocuments();
  return async ({ request, plane, path }: RequestContext): Promise<ApiAnswer | undefined> => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    return openApiAnswer(documents, kinds.inPlane(plane).all, path, request);
  };
}

function openApiAnswer(
  documents: OpenApiDocuments,
  kinds: readonly ServedKind[],
  path: string,
  request: ApiRequest,
): ApiAnswer | undefined {
  if (path !== "/openapi/v2" && path !== root && !path.startsWith(`${root}/`)) return undefined;
  const accepted = typesIn(firstHeader(request.headers, "accept"));
  const isOlder = path === "/openapi/v2";
  const asksMessage = accepted.includes(askedMessageType) || accepted.includes(swaggerMessageType);
  if (isOlder && asksMessage) return messageAnswer(documents.swaggerMessage(kinds), request);
  if (!acceptsJson(accepted)) return notAcceptable; // before anything is made
  if (isOlder) return answerWith(documents.swagger(kinds), request);
  if (path === root || path === `${root}/`) return answerWith(documents.index(kinds), request);
  const name = path.slice(root.length + 1).replace(/\/$/, "");
  const document = documents.document(kinds, name);
  return document === undefined ? undefined : documentAnswer(document, request);
}

/** Under its hash a document never changes; under another hash it is no longer there. */
function documentAnswer(document: OpenApiDocument, request: ApiRequest): ApiAnswer {
  const asked = request.query.get("hash") ?? "";
  if (asked !== "" && asked !== document.hash) {
    // The path of the request, which may go through a plane.
    return { code: 301, headers: { location: `${request.path}?hash=${document.hash}` }, body: "" };
  }
  const answer = answerWith(document, request);
  if (asked === "") return answer;
  return { ...answer, headers: { ...answer.headers, "cache-control": `public, immutable, max-age=${yearSeconds}` } };
}

function answerWith({ text, hash }: OpenApiDocument, request: ApiRequest): ApiAnswer {
  return unlessKnown(hash, request, { type: "application/json", body: text });
}

function messageAnswer({ bytes, hash }: OpenApiMessage, request: ApiRequest): ApiAnswer {
  const start = (sink: StreamSink): void => {
    sink.write(bytes);
    sink.end();
  };
  return unlessKnown(hash, request, { type: swaggerMessageType, body: { start } });
}

/** Whoever has it is told so. */
function unlessKnown(
  hash: string,
  { headers }: ApiRequest,
  { type, body }: { readonly type: string; readonly body: ApiAnswer["body"] },
): ApiAnswer {
  const etag = `"${hash}"`;
  const shared = { etag, vary: "Accept" };
  const known = firstHeader(headers, "if-none-match").split(",");
  if (known.some((tag) => tag.trim() === etag)) return { code: 304, headers: shared, body: "" };
  return { code: 200, headers: { ...shared, "content-type": type }, body };
}

function typesIn(accept: string): readonly string[] {
  const clauses = accept.split(",").map((clause) => clause.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  return clauses.filter((type) => type !== "");
}

function acceptsJson(types: readonly string[]): boolean {
  return types.length === 0 || ["application/json", "application/*", "*/*"].some((type) => types.includes(type));
}
