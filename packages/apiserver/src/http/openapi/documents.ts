import { createHash } from "node:crypto";
import type { ServedKind } from "../../registry/kinds/served-kind.ts";
import { kindComponents } from "./kind-components.ts";
import { kindPaths } from "./operations.ts";
import { swaggerDocument } from "./swagger.ts";
import { swaggerMessage } from "./swagger-message.ts";

/** A document and its hash. */
export interface OpenApiDocument {
  readonly text: string;
  readonly hash: string;
}

/** A document in protobuf. */
export interface OpenApiMessage {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Cached documents of group versions; a plane with more of them builds the rest on every request. */
const documentsMax = 256;

/** The OpenAPI documents for sets of kinds, built on demand. Planes that serve the same kinds share them. */
export class OpenApiDocuments {
  readonly #indexes = new WeakMap<readonly ServedKind[], OpenApiDocument>();
  readonly #swaggers = new WeakMap<readonly ServedKind[], OpenApiDocument>();
  readonly #messages = new WeakMap<readonly ServedKind[], OpenApiMessage>();
  readonly #documents = new Map<
    string,
    { readonly kinds: readonly ServedKind[]; readonly document: OpenApiDocument }
  >();

  /** The discovery document: paths and hashes of all documents. */
  index(kinds: readonly ServedKind[]): OpenApiDocument {
    let index = this.#indexes.get(kinds);
    if (index === undefined) {
      const paths = groupVersionsOf(kinds).map((path) => {
        const hash = this.document(kinds, path)?.hash ?? "";
        return [path, { serverRelativeURL: documentUrl(path, hash) }];
      });
      index = documentOf({ paths: Object.fromEntries(paths) });
      this.#indexes.set(kinds, index);
    }
    return index;
  }

  /** The document of `api/v1` or `apis/<group>/<version>`; undefined when there is no such group version. */
  document(kinds: readonly ServedKind[], path: string): OpenApiDocument | undefined {
    const own = kinds.filter((kind) => groupVersionPath(kind) === path);
    if (own.length === 0) return undefined;
    const kept = this.#documents.get(path);
    if (kept !== undefined && sameItems(kept.kinds, own)) return kept.document;
    const document = documentOf(openApiDocument(own));
    this.#keep(path, own, document);
    return document;
  }

  /** All kinds in one OpenAPI v2 document. */
  swagger(kinds: readonly ServedKind[]): OpenApiDocument {
    let swagger = this.#swaggers.get(kinds);
    if (swagger === undefined) {
      swagger = documentOf(swaggerDocument(kinds));
      this.#swaggers.set(kinds, swagger);
    }
    return swagger;
  }

  /** The same in protobuf. */
  swaggerMessage(kinds: readonly ServedKind[]): OpenApiMessage {
    let message = this.#messages.get(kinds);
    if (message === undefined) {
      const bytes = swaggerMessage(swaggerDocument(kinds));
      message = { bytes, hash: hashOf(bytes) };
      this.#messages.set(kinds, message);
    }
    return message;
  }

  #keep(path: string, kinds: readonly ServedKind[], document: OpenApiDocument): void {
    this.#documents.delete(path);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size >= documentsMax && oldest !== undefined) this.#documents.delete(oldest);
    this.#documents.set(path, { kinds, document });
  }
}

function documentUrl(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function openApiDocument(kinds: readonly ServedKind[]): Readonly<Record<string, unknown>> {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "unversioned" },
    paths: Object.assign({}, ...kinds.map(kindPaths)),
    components: {
      schemas: kindComponents(kinds),
      securitySchemes: {
        BearerToken: {
          type: "apiKey",
          in: "header",
          name: "authorization",
          description: "A bearer token.",
        },
      },
    },
  };
}

function groupVersionsOf(kinds: readonly ServedKind[]): readonly string[] {
  return [...new Set(kinds.map(groupVersionPath))].sort();
}

function groupVersionPath({ group, version }: ServedKind): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

function documentOf(value: unknown): OpenApiDocument {
  const text = JSON.stringify(value);
  return { text, hash: hashOf(text) };
}

function hashOf(content: string | Uint8Array): string {
  return createHash("sha512").update(content).digest("hex").toUpperCase();
}

function sameItems(left: readonly ServedKind[], right: readonly ServedKind[]): boolean {
  return left.length === right.length && left.every((kind, index) => kind === right[index]);
}
