import type { ApiRequest, ApiResponse, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { KindCatalog } from "../../registry/kinds/kind-catalog.ts";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { firstHeader } from "../access/authenticator.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { plainTextResponse } from "../responses/responses.ts";
import { type OpenApiDocument, OpenApiDocuments, type OpenApiMessage } from "./documents.ts";
import { acceptedMessageType, swaggerMessageType } from "./swagger-message.ts";

const root = "/openapi/v3";
const yearSeconds = 31_536_000;
const notAcceptable = plainTextResponse(406, "406: Not Acceptable\n\nAvailable representations: application/json\n");

/** Serves OpenAPI documents for the kinds of the request's plane. */
export function openApiPaths(kinds: KindCatalog) {
  const documents = new OpenApiDocuments();
  return async ({ request, plane, path }: RequestContext): Promise<ApiResponse | undefined> => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    return openApiResponse(documents, kinds.inPlane(plane).all, path, request);
  };
}

function openApiResponse(
  documents: OpenApiDocuments,
  kinds: readonly ServedKind[],
  path: string,
  request: ApiRequest,
): ApiResponse | undefined {
  if (path !== "/openapi/v2" && path !== root && !path.startsWith(`${root}/`)) return undefined;
  const accepted = typesIn(firstHeader(request.headers, "accept"));
  const isOlder = path === "/openapi/v2";
  const asksMessage = accepted.includes(acceptedMessageType) || accepted.includes(swaggerMessageType);
  if (isOlder && asksMessage) return messageResponse(documents.swaggerMessage(kinds), request);
  if (!acceptsJson(accepted)) return notAcceptable; // before anything is built
  if (isOlder) return respondWith(documents.swagger(kinds), request);
  if (path === root || path === `${root}/`) return respondWith(documents.index(kinds), request);
  const name = path.slice(root.length + 1).replace(/\/$/, "");
  const document = documents.document(kinds, name);
  return document === undefined ? undefined : documentResponse(document, request);
}

/** Under its hash a document is immutable; a request with an outdated hash is redirected. */
function documentResponse(document: OpenApiDocument, request: ApiRequest): ApiResponse {
  const asked = request.query.get("hash") ?? "";
  if (asked !== "" && asked !== document.hash) {
    // The path as requested, which may include a plane.
    return { code: 301, headers: { location: `${request.path}?hash=${document.hash}` }, body: "" };
  }
  const response = respondWith(document, request);
  if (asked === "") return response;
  return {
    ...response,
    headers: { ...response.headers, "cache-control": `public, immutable, max-age=${yearSeconds}` },
  };
}

function respondWith({ text, hash }: OpenApiDocument, request: ApiRequest): ApiResponse {
  return unlessNotModified(hash, request, { type: "application/json", body: text });
}

function messageResponse({ bytes, hash }: OpenApiMessage, request: ApiRequest): ApiResponse {
  const start = (sink: StreamSink): void => {
    sink.write(bytes);
    sink.end();
  };
  return unlessNotModified(hash, request, { type: swaggerMessageType, body: { start } });
}

/** 304 if the client has the document already. */
function unlessNotModified(
  hash: string,
  { headers }: ApiRequest,
  { type, body }: { readonly type: string; readonly body: ApiResponse["body"] },
): ApiResponse {
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
