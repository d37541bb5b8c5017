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

/** Planes have their names in the paths below them. */
export function resolvePlanes(planes: readonly string[]): PlaneResolver {
  return (path) => {
    const [, plane = "", rest = ""] = inPlane.exec(path) ?? [];
    return planes.includes(plane) ? { plane, path: rest } : { plane: "root", path };
  };
}

/** The quota of organizations is kept in the root, whichever plane their objects are in. */
export const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: plane === "root" ? "" : `/planes/${plane}` }),
  planeOf: ({ kind }) => (kind === "Organization" ? "root" : undefined),
  tenantOf: () => undefined,
  tenantKinds: () => [],
  hasOrganizationNamespaces: false,
};

/** What somebody was told who asked for something. */
export interface Told {
  readonly code: number;
  readonly body: Json;
  readonly message: string;
  readonly warnings: readonly string[];
}

export interface Asking {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly type?: string;
  readonly user?: UserInfo;
}

/** A server, and what people do with it. */
export class ServedWorld {
  readonly reported: string[] = [];
  /** Paths of the watches that the system opens. */
  readonly watched: string[] = [];
  readonly server: EmbeddedServer;
  readonly planes;

  constructor(server: EmbeddedServer) {
    this.server = server;
    this.planes = this.planesFor(systemUser);
  }

  /** All planes, as this user reaches them. */
  planesFor(user: UserInfo) {
    const handle = (request: ApiRequest) => {
      if (request.query.has("watch")) this.watched.push(request.path);
      return this.server.api.handle(request);
    };
    return planesOfServer(directTransport(handle, user), layout);
  }

  /** Serves a kind from now on. */
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

  /** Asks for something as anybody may, and tells everything of the answer. */
  async ask({ method, path, query = {}, body, type = "application/json", user = admin }: Asking): Promise<Told> {
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
      life: new AbortController(),
      user,
    });
    const answer = JSON.parse(text as string) as Json;
    return { code, body: answer, message: String(answer["message"] ?? ""), warnings: warningsIn(headers) };
  }

  /** What was said to somebody who created an object: `201`, or the refusal. */
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

  /** What went wrong that nobody was told of otherwise: that policies do not work is known by then. */
  get faults(): readonly string[] {
    return this.reported.filter((text) => !/^(events: more than|claims for stored objects: ClaimCreation)/.test(text));
  }
}

function warningsIn(headers: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === "warning")?.[1] ?? [];
  return [found].flat().map((text) => JSON.parse(text.replace(/^299 - /, "")) as string);
}

/** Looks again and again, for a few seconds. */
export async function eventually<Result>(look: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (tries >= 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
