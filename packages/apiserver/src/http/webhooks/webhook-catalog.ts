import type { ObjectStore } from "../../storage/object-store.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { Webhook, WebhookType } from "./webhook.ts";
import { readConfiguration } from "./webhook-configuration.ts";

const group = "admissionregistration.k8s.io";

export const configurationResources: Readonly<Record<WebhookType, string>> = {
  mutating: `mutatingwebhookconfigurations.${group}`,
  validating: `validatingwebhookconfigurations.${group}`,
};

/** Configurations are read again once as many others were in between. */
const configurationsMax = 1_000;

interface Read {
  readonly revision: number;
  readonly webhooks: readonly Webhook[];
}

/** The webhooks of each plane, in order of the names of their configurations; each configuration is read once. */
export class WebhookCatalog {
  readonly #store: Pick<ObjectStore, "list">;
  readonly #read = new Map<string, Read>();

  constructor(store: Pick<ObjectStore, "list">) {
    this.#store = store;
  }

  webhooksOf(plane: string, type: WebhookType): readonly Webhook[] {
    const found: Webhook[] = [];
    for (const stored of this.#store.list({ plane, resource: configurationResources[type] })) {
      found.push(...this.#webhooksIn(stored, type));
    }
    return found;
  }

  #webhooksIn(stored: StoredObject, type: WebhookType): readonly Webhook[] {
    const { key, revision } = stored;
    const id = JSON.stringify([key.plane, type, key.name]);
    const known = this.#read.get(id);
    const read = known?.revision === revision ? known : { revision, webhooks: readConfiguration(stored.object, type) };
    this.#read.delete(id);
    this.#read.set(id, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > configurationsMax && oldest !== undefined) this.#read.delete(oldest);
    return read.webhooks;
  }
}
