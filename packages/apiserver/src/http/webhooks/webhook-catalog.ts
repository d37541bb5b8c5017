import type { ObjectStore } from "../../storage/object-store.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import type { Webhook, WebhookType } from "./webhook.ts";
import { readConfiguration } from "./webhook-configuration.ts";

const group = "admissionregistration.k8s.io";

export const configurationResources: Readonly<Record<WebhookType, string>> = {
  mutating: `mutatingwebhookconfigurations.${group}`,
  validating: `validatingwebhookconfigurations.${group}`,
};

/** Size of the cache of parsed configurations. */
const configurationsMax = 1_000;

interface ParsedConfiguration {
  readonly revision: number;
  readonly webhooks: readonly Webhook[];
}

/** The webhooks of each plane, in order of their configurations' names; configurations are parsed once. */
export class WebhookCatalog {
  readonly #store: Pick<ObjectStore, "list">;
  readonly #parsed = new Map<string, ParsedConfiguration>();

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
    const cached = this.#parsed.get(id);
    const read =
      cached?.revision === revision ? cached : { revision, webhooks: readConfiguration(stored.object, type) };
    this.#parsed.delete(id);
    this.#parsed.set(id, read);
    const [oldest] = this.#parsed.keys();
    if (this.#parsed.size > configurationsMax && oldest !== undefined) this.#parsed.delete(oldest);
    return read.webhooks;
  }
}
