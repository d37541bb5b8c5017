import { setMaxListeners } from "node:events";
import type { EmbeddedServer } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ApiRequest } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type PlaneLayout, planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { definitionsType } from "./object-types.ts";

export type Json = Record<string, unknown>;

export const { signal } = new AbortController();
setMaxListeners(0, signal);

export const systemUser = { username: "system:milo-quota", uid: "", groups: ["system:masters"], extra: {} };
const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };

const inPlane = /^\/planes\/([^/]+)(\/.*)$/;

/** Plane names are part of the path. */
export function resolvePlanes(planes: readonly string[]): PlaneResolver {
  return (path) => {
    const [, plane = "", rest = ""] = inPlane.exec(path) ?? [];
    return planes.includes(plane) ? { plane, path: rest } : { plane: "root", path };
  };
}

/** Organizations have their buckets in the root plane. */
export const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: plane === "root" ? "" : `/planes/${plane}` }),
  planeOf: ({ kind }) => (kind === "Organization" ? "root" : undefined),
  tenantOf: () => undefined,
  tenantKinds: () => [],
  hasOrganizationNamespaces: false,
};

export interface ApiResponse {
  readonly code: number;
  readonly body: Json;
  readonly message: string;
  readonly warnings: readonly string[];
}

export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly type?: string;
  readonly user?: UserInfo;
}

/** An API server with a client. */
export class TestWorld {
  readonly reported: string[] = [];
  /** Paths of the watches that the system opens. */
  readonly watched: string[] = [];
  readonly server: EmbeddedServer;
  readonly planes;

  constructor(server: EmbeddedServer) {
    this.server = server;
    this.planes = this.planesFor(systemUser);
  }

  /** Clients of all planes for a user. */
  planesFor(user: UserInfo) {
    const handle = (request: ApiRequest) => {
      if (request.query.has("watch")) this.watched.push(request.path);
      return this.server.api.handle(request);
    };
    return planesOfServer(directTransport(handle, user), layout);
  }

  /** Creates a CRD and waits until it is served. */
  async define(definition: Json, type: ResourceType): Promise<void> {
    await this.create(definitionsType, definition);
    await eventually(() => this.resource(type).list({}, signal));
  }

  resource(type: ResourceType, plane = "root"): ResourceClient<JsonObject> {
    return this.planes.client(plane).resource(type, anyObject);
  }

  create(type: ResourceType, object: Json, plane = "root"): Promise<JsonObject> {
    return this.resource(type, plane).create(object as unknown as KubernetesObject, {}, signal);
  }

  /** Sends a request and returns the complete response. */
  async request({
    method,
    path,
    query = {},
    body,
    type = "application/json",
    user = admin,
  }: ApiCall): Promise<ApiResponse> {
    const {
      code,
      headers,
      body: text,
    } = await this.server.api.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { accept: ["application/json"], "content-type": [type] },
      body: async () => (body === undefined ? "" : JSON.stringify(body)),
      abortController: new AbortController(),
      user,
    });
    const response = JSON.parse(text as string) as Json;
    return { code, body: response, message: String(response["message"] ?? ""), warnings: warningsIn(headers) };
  }

  /** Creates an object and returns 201 or the rejection. */
  async tryCreate(
    type: ResourceType,
    object: Json,
    plane = "root",
  ): Promise<{ readonly code: number; readonly message: string }> {
    try {
      await this.create(type, object, plane);
      return { code: 201, message: "" };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { code: error.status.code, message: error.status.message ?? "" };
    }
  }

  /** Reported errors, without those about failing policies, which tests cause on purpose. */
  get unexpectedReports(): readonly string[] {
    return this.reported.filter((text) => !/^(events: more than|claims for stored objects: ClaimCreation)/.test(text));
  }
}

function warningsIn(headers: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === "warning")?.[1] ?? [];
  return [found].flat().map((text) => JSON.parse(text.replace(/^299 - /, "")) as string);
}

/** Retries an assertion for a few seconds. */
export async function eventually<Result>(assertion: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await assertion();
    } catch (error) {
      if (tries >= 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
