import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { type Up, up } from "@milo-quota/quota/embedded/up.ts";
import { type Family, readExposition, type Sample } from "@milo-quota/quota/test/exposition.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface ApiResponse {
  readonly code: number;
  readonly type: string;
  readonly body: string;
}

interface RequestOptions {
  readonly body?: Json;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
}

/** The whole system in memory with a metrics port. */
export class MetricsWorld {
  readonly system: Up;
  readonly reported: string[];

  static async start(): Promise<MetricsWorld> {
    const reported: string[] = [];
    const system = await up({
      host: "127.0.0.1",
      port: 0,
      metricsPort: 0,
      clock: systemClock,
      elapsedMs: () => performance.now(),
      report: (where, error) => reported.push(`${where}: ${error}`),
    });
    return new MetricsWorld(system, reported);
  }

  constructor(system: Up, reported: string[]) {
    this.system = system;
    this.reported = reported;
  }

  async request(
    method: string,
    path: string,
    { body, token, headers = {} }: RequestOptions = {},
  ): Promise<ApiResponse> {
    const answer = await this.system.server.api.handle({
      method,
      path,
      query: new URLSearchParams(),
      headers: {
        "content-type": ["application/json"],
        ...headers,
        ...(token === undefined ? {} : { authorization: [`Bearer ${token}`] }),
      },
      body: async () => JSON.stringify(body ?? {}),
      abortController: new AbortController(),
    });
    if (typeof answer.body !== "string") throw new Error("a stream was not expected");
    return { code: answer.code, type: String(answer.headers["content-type"]), body: answer.body };
  }

  /** Creates an object as administrator. */
  async create(path: string, body: Json): Promise<ApiResponse> {
    return this.request("POST", path, { body, token: this.system.token });
  }

  async scrape(): Promise<ReadonlyMap<string, Family>> {
    const response = await fetch(this.system.metricsUrl ?? "");
    return readExposition(await response.text());
  }

  /** Samples of a metric that have these labels. */
  async samples(name: string, labels: Readonly<Record<string, string>> = {}): Promise<readonly Sample[]> {
    const family = (await this.scrape()).get(name);
    return (family?.samples ?? []).filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  }

  async value(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
    return (await this.samples(name, labels))[0]?.value;
  }
}

export async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await check();
    } catch (error) {
      if (tries >= 200) throw error;
      await new Promise((resolve) => systemClock.after(25, () => resolve(undefined)));
    }
  }
}

const quota = "/apis/quota.miloapis.com/v1alpha1";
const head = { apiVersion: "quota.miloapis.com/v1alpha1" };

export const paths = {
  registrations: `${quota}/resourceregistrations`,
  grants: `${quota}/namespaces/default/resourcegrants`,
  claims: `${quota}/namespaces/default/resourceclaims`,
  claimPolicies: `${quota}/claimcreationpolicies`,
  grantPolicies: `${quota}/grantcreationpolicies`,
  configMaps: "/api/v1/namespaces/default/configmaps",
};

export const registration: Json = {
  ...head,
  kind: "ResourceRegistration",
  metadata: { name: "config-maps" },
  spec: {
    resourceType: "core/configmaps",
    type: "Entity",
    baseUnit: "config map",
    description: 'Config maps, or "maps"',
    consumerType: { apiGroup: "", kind: "Namespace" },
    claimingResources: [{ apiGroup: "", kind: "ConfigMap" }],
  },
};

export const grant: Json = {
  ...head,
  kind: "ResourceGrant",
  metadata: { name: "two", namespace: "default" },
  spec: {
    consumerRef: { kind: "Namespace", name: "default" },
    allowances: [{ resourceType: "core/configmaps", buckets: [{ amount: 2 }] }],
  },
};

export const claimPolicy: Json = {
  ...head,
  kind: "ClaimCreationPolicy",
  metadata: { name: "maps" },
  spec: {
    trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
    target: {
      resourceClaimTemplate: {
        spec: {
          consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.namespace }}" },
          requests: [{ resourceType: "core/configmaps", amount: 1 }],
        },
      },
    },
  },
};

export const grantPolicy: Json = {
  ...head,
  kind: "GrantCreationPolicy",
  metadata: { name: "for-namespaces" },
  spec: {
    disabled: true,
    trigger: { resource: { apiVersion: "v1", kind: "Namespace" } },
    target: {
      resourceGrantTemplate: {
        spec: {
          consumerRef: { kind: "Namespace", name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType: "core/configmaps", buckets: [{ amount: 1 }] }],
        },
      },
    },
  },
};

export const configMap = (name: string): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});
