import { readFileSync } from "node:fs";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { discover } from "@milo-quota/kubernetes/client/discovery/discover.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type KubernetesObject, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { parseAllDocuments } from "yaml";

type AnyObject = KubernetesObject & JsonObject;

/** Prepares clusters for tests without using the program under test. */
export class ClusterClient {
  readonly #transport: HttpTransport;
  readonly #signal = new AbortController().signal;

  constructor(kubeconfig: string) {
    const access = loadAccess({ kubeconfig }, { env: {}, home: "/", hasTerminal: false, clock: systemClock });
    this.#transport = new HttpTransport(access, { userAgent: "test" });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Creates the objects in a file or text. The prefix selects a control plane. Resolves to the errors. */
  async create(manifests: string, prefix = ""): Promise<readonly string[]> {
    const text = manifests.includes("\n") ? manifests : readFileSync(manifests, "utf8");
    const errors: string[] = [];
    for (const document of parseAllDocuments(text)) {
      const object = document.toJS() as AnyObject;
      await (await this.#resource(object, prefix))
        .create(object, {}, this.#signal)
        .catch((error: Error) => errors.push(error.message));
    }
    return errors;
  }

  /** Polls the object of a manifest until it is as expected. */
  async waitUntil(manifest: string, isExpected: (object: AnyObject) => boolean, prefix = ""): Promise<AnyObject> {
    const object = parseAllDocuments(manifest)[0]?.toJS() as AnyObject;
    const resource = await this.#resource(object, prefix);
    const { name = "", namespace } = object.metadata;
    for (;;) {
      const found = await resource.find({ name, ...(namespace === undefined ? {} : { namespace }) }, this.#signal);
      if (found !== undefined && isExpected(found)) return found;
      await new Promise((onTimeout) => setTimeout(onTimeout, 20));
    }
  }

  async patchStatus(manifest: string, status: object): Promise<void> {
    const object = parseAllDocuments(manifest)[0]?.toJS() as AnyObject;
    const { name = "", namespace = "" } = object.metadata;
    const resource = await this.#resource(object, "");
    await resource.patch(
      { name, namespace },
      { type: "merge", body: { status } },
      { subresource: "status" },
      this.#signal,
    );
  }

  async delete(manifest: string, prefix = ""): Promise<void> {
    const object = parseAllDocuments(manifest)[0]?.toJS() as AnyObject;
    const { name = "", namespace } = object.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    await (await this.#resource(object, prefix)).delete(ref, {}, this.#signal);
  }

  async #resource({ apiVersion, kind }: AnyObject, prefix: string) {
    const client = new KubeClient(this.#transport, { plane: prefix, prefix });
    const { group } = parseApiVersion(apiVersion);
    for (;;) {
      const { resources } = await discover(client, group, this.#signal);
      const type = resources.find((each) => each.group === group && each.kind === kind);
      if (type !== undefined)
        return client.resource(type, (value) => ({ ok: true, value: value as unknown as AnyObject }));
    }
  }
}

/** Whether a condition is true. */
export function hasCondition(type: string): (object: AnyObject) => boolean {
  return (object) => {
    const { conditions = [] } = (object["status"] ?? {}) as {
      conditions?: readonly { type: string; status: string }[];
    };
    return conditions.some((condition) => condition.type === type && condition.status === "True");
  };
}
