import { Pool } from "undici";
import type { Manifest } from "../admission/quota-manifests.ts";
import type { Target } from "../apiserver/load.ts";

export interface Answer {
  readonly statusCode: number;
  readonly text: string;
}

const plurals: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  Namespace: "namespaces",
  ClaimCreationPolicy: "claimcreationpolicies",
  ResourceClaim: "resourceclaims",
  ResourceGrant: "resourcegrants",
  ResourceRegistration: "resourceregistrations",
};

/** API client with one TLS connection and one request at a time. */
export class ApiClient {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token, ca }: Target) {
    this.#pool = new Pool(url, { connections: 1, pipelining: 1, connect: { ca } });
    this.#headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
    };
  }

  create(object: Manifest, namespace = object.metadata.namespace): Promise<Answer> {
    return this.#request("POST", collectionOf(object, namespace), JSON.stringify(object));
  }

  get(object: Manifest): Promise<Answer> {
    return this.#request("GET", `${collectionOf(object, object.metadata.namespace)}/${object.metadata.name}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #request(method: "GET" | "POST", path: string, sent?: string): Promise<Answer> {
    const { statusCode, body } = await this.#pool.request({ method, path, headers: this.#headers, body: sent ?? null });
    return { statusCode, text: await body.text() };
  }
}

function collectionOf({ apiVersion, kind }: Manifest, namespace: string | undefined): string {
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const plural = plurals[kind ?? ""];
  if (plural === undefined) throw new Error(`no path for kind ${kind}`);
  return namespace === undefined ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
}
