import { configMap, type Manifest, manualClaim, namespaceOf } from "../admission/quota-manifests.ts";
import type { Answer, ApiClient } from "../program/api-client.ts";
import { until } from "../program/set-up-quota.ts";

/** A kind of request whose calls are counted. */
export interface RequestCase {
  readonly title: string;
  /** Whether the system has grants and a policy for ConfigMaps. */
  readonly quota: boolean;
  /** Sends one request and throws if the status is not the expected one. */
  send(client: ApiClient, name: string): Promise<void>;
  /** Checks the outcome after the response. Not counted. */
  check?(client: ApiClient, name: string): Promise<void>;
}

/** The first consumer is practically unlimited, the second has used up its limit of one. */
export const limits = [undefined, 1] as const;
const usedUp = 1;

export type CaseName = "ungoverned" | "governed" | "rejected" | "claim";

export const requestCases: Readonly<Record<CaseName, RequestCase>> = {
  ungoverned: {
    title: "ungoverned create",
    quota: false,
    send: async (client, name) => expectStatus(201, await client.create(configMap(name), namespaceOf(0))),
  },
  governed: {
    title: "governed create that is admitted",
    quota: true,
    send: async (client, name) => expectStatus(201, await client.create(configMap(name), namespaceOf(0))),
  },
  rejected: {
    title: "governed create that is rejected",
    quota: true,
    send: async (client, name) => expectStatus(403, await client.create(configMap(name), namespaceOf(usedUp))),
  },
  claim: {
    title: "claim that is created and decided",
    quota: true,
    send: async (client, name) => expectStatus(201, await client.create(claim(name))),
    check: (client, name) => until(client, claim(name), "QuotaAvailable"),
  },
};

/** Uses up the quota of the second consumer. */
export async function useUp(client: ApiClient): Promise<void> {
  expectStatus(201, await client.create(configMap("only"), namespaceOf(usedUp)));
}

function claim(name: string): Manifest {
  return manualClaim(name, 0);
}

function expectStatus(expected: number, { statusCode, text }: Answer): void {
  if (statusCode !== expected) throw new Error(`${statusCode}, expected ${expected}: ${text.slice(0, 300)}`);
}
