import { randomBytes } from "node:crypto";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { tenantLayout } from "@milo-quota/quota/tenancy/plane-layout.ts";
import { tenancyKinds } from "@milo-quota/quota/tenancy/resources/tenancy-kinds.ts";
import { Tenancy } from "@milo-quota/quota/tenancy/tenancy.ts";
import { issueUserToken, type TokenRequest } from "@milo-quota/quota/tenancy/user-token.ts";
import { organizationPath, projectPath } from "@milo-quota/quota/views/tenant-planes.ts";
import { expect } from "vitest";
import { type Body, type Call, type Reply, TestServer } from "../apiserver/test-server.ts";
import { users } from "../apiserver/test-users.ts";

const startMs = Date.UTC(2026, 0, 1);
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const group = "/apis/resourcemanager.miloapis.com/v1alpha1";
export const organizations = `${group}/organizations`;
export const projects = `${group}/projects`;
export const usersPath = "/apis/iam.miloapis.com/v1alpha1/users";
export const quota = "/apis/quota.miloapis.com/v1alpha1";

export const inProject = (name: string, path: string): string => `${projectPath(name)}${path}`;
export const inOrganization = (name: string, path: string): string => `${organizationPath(name)}${path}`;
export const memberships = (organization: string): string =>
  `${group}/namespaces/organization-${organization}/organizationmemberships`;

/** One incarnation of tenancy: after a number of calls it gets no more responses, as after a crash. */
interface Life {
  callsLeft: number;
}

interface WorldOptions {
  readonly log?: RecordLog;
  /** Kinds that are served besides those of tenants. */
  readonly more?: readonly KindDefinition[];
}

/** An in-memory server with tenancy. Waiting advances the fake clock. */
export class TenantWorld {
  readonly clock: FakeClock;
  readonly log: RecordLog;
  readonly reported: string[] = [];
  /** Number of restarts after a crash. */
  crashes = 0;
  #life: Life = { callsLeft: Number.POSITIVE_INFINITY };
  #server: TestServer | undefined;
  #tenancy: Tenancy | undefined;

  private constructor(clock: FakeClock, log: RecordLog) {
    this.clock = clock;
    this.log = log;
  }

  static async start({ log = new MemoryLog(), more = [] }: WorldOptions = {}): Promise<TenantWorld> {
    const world = new TenantWorld(new FakeClock(startMs), log);
    await world.startServer();
    const kinds = [...tenancyKinds, ...more];
    for (const kind of kinds) {
      const created = await world.server.create(definitions, crdOf(kind));
      expect([201, 409], JSON.stringify(created.body)).toContain(created.code);
    }
    for (const { group: of, version, plural } of kinds) {
      const isServed = async () => (await world.server.get(`/apis/${of}/${version}/${plural}`)).code === 200;
      await world.server.until(`${plural} are served`, isServed);
    }
    await world.server.create("/api/v1/namespaces", { metadata: { name: "milo-system" } });
    await world.startTenancy();
    return world;
  }

  get server(): TestServer {
    return this.#server as TestServer;
  }

  get tenancy(): Tenancy {
    return this.#tenancy as Tenancy;
  }

  async startServer(): Promise<void> {
    this.#tenancy = this.#newTenancy();
    this.#server = await TestServer.start({
      log: this.log,
      clock: this.clock,
      resolvePlane: (path) => this.tenancy.resolvePlane(path),
      definitionsFrom: (plane) => tenantLayout.definitionsFrom(plane),
      authorizers: [{ authorize: (requested, signal) => this.tenancy.authorizer.authorize(requested, signal) }],
      plugins: [{ name: "guard", validate: (request) => this.tenancy.guard.validate(request) }],
      tokens: [{ authenticateToken: (token, signal) => this.tenancy.tokens.authenticateToken(token, signal) }],
    });
  }

  /** Makes tenancy crash at one of its next calls. */
  crashAfter(calls: number): void {
    this.#life.callsLeft = calls;
  }

  get isCrashed(): boolean {
    return this.#life.callsLeft < 0;
  }

  /** Starts a new instance. Does not stop the previous one, which may have crashed. */
  async startTenancy(): Promise<void> {
    if (this.isCrashed) this.crashes += 1;
    this.#tenancy = this.#newTenancy();
    this.tenancy.start();
    let isReady = false;
    void this.tenancy.ready.then(() => {
      isReady = true;
    });
    await this.server.until("tenants are known", () => isReady);
  }

  async stop(): Promise<void> {
    if (!this.isCrashed) await this.tenancy.stop();
    await this.server.stop();
    expect(this.server.faults).toEqual([]);
  }

  /** Client with a bearer token. */
  as(token: string) {
    const headers = { authorization: [`Bearer ${token}`] };
    const send = (call: Call): Promise<Reply> =>
      this.server.send({ ...call, user: "from headers", headers: { ...headers, ...call.headers } });
    return {
      send,
      get: (path: string) => send({ path }),
      create: (path: string, body: unknown) => send({ method: "POST", path, body }),
      merge: (path: string, body: unknown) =>
        send({ method: "PATCH", path, body, type: "application/merge-patch+json" }),
      remove: (path: string) => send({ method: "DELETE", path }),
      watch: (path: string) => this.server.watch(path, { user: "from headers", headers }),
    };
  }

  async token(order: TokenRequest): Promise<string> {
    const { token, secret } = issueUserToken(order, randomBytes);
    const created = await this.server.create("/api/v1/namespaces/milo-system/secrets", secret);
    expect(created.code).toBe(201);
    await this.server.settled();
    return token;
  }

  async organization(name: string, spec: object = {}): Promise<void> {
    const created = await this.server.create(organizations, organization(name, spec));
    expect(created.code, created.text).toBe(201);
    await this.until(`${organizations}/${name}`, ({ status }) => status?.phase === "Active");
  }

  async project(name: string, of: string): Promise<void> {
    const created = await this.server.create(projects, project(name, of));
    expect(created.code, created.text).toBe(201);
    await this.until(`${projects}/${name}`, (object) => readyOf(object)?.status === "True");
  }

  async member(of: string, user: string, roles: readonly string[]): Promise<void> {
    await this.server.create(usersPath, person(user));
    const spec = { organizationRef: { name: of }, userRef: { name: user }, roles };
    const created = await this.server.create(memberships(of), membership(user, spec));
    expect(created.code, created.text).toBe(201);
    await this.until(`${memberships(of)}/${user}`, (object) => readyOf(object)?.status === "True");
  }

  async until(path: string, holds: (object: Body) => boolean): Promise<void> {
    await this.server.until(`${path} is as wanted; reported: ${this.reported.slice(-5).join("; ")}`, async () => {
      const { code, body } = await this.server.get(path);
      return code === 200 && holds(body);
    });
  }

  async gone(path: string): Promise<void> {
    await this.server.until(`${path} is gone`, async () => (await this.server.get(path)).code === 404);
  }

  /** Number of writes while time passes. */
  async writesIn(ms: number): Promise<number> {
    const { store } = this.server.server.registry;
    const before = store.revision;
    for (let left = ms; left > 0; left -= 500) {
      this.clock.advance(500);
      await this.server.settled();
    }
    return store.revision - before;
  }

  #newTenancy(): Tenancy {
    const life: Life = { callsLeft: Number.POSITIVE_INFINITY };
    this.#life = life;
    const through = <Value>(work: () => Promise<Value>): Promise<Value> => {
      life.callsLeft -= 1;
      return life.callsLeft < 0 ? new Promise<Value>(() => undefined) : work();
    };
    const direct = directTransport((request) => this.server.server.api.handle(request), users.admin);
    const transport: Transport = { ...direct, request: (call, signal) => through(() => direct.request(call, signal)) };
    return new Tenancy({
      client: new KubeClient(transport),
      planes: {
        open: (plane) => through(() => this.server.server.openPlane(plane)),
        close: (plane) => through(() => this.server.server.closePlane(plane)),
      },
      clock: this.clock,
      random: { fraction: () => 0.5 },
      report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
    });
  }
}

export function organization(name: string, spec: object = {}): object {
  return { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Organization", metadata: { name }, spec };
}

export function project(name: string, of?: string): object {
  const spec = of === undefined ? {} : { ownerRef: { kind: "Organization", name: of } };
  return { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Project", metadata: { name }, spec };
}

export function membership(name: string, spec: object): object {
  const kind = "OrganizationMembership";
  return { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind, metadata: { name }, spec };
}

export function person(name: string): object {
  return { apiVersion: "iam.miloapis.com/v1alpha1", kind: "User", metadata: { name } };
}

export function readyOf(object: Body): { status: string; reason: string; message: string } | undefined {
  return object.status?.conditions?.find(({ type }: { type: string }) => type === "Ready");
}
