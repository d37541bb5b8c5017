import { grant, type Manifest, namespaceManifest, policy, registration } from "../admission/quota-manifests.ts";
import type { ApiClient } from "./api-client.ts";

const readyMsMax = 30_000;
const readyPollMs = 50;

/** The limit of each consumer; undefined for practically unlimited. */
export type Limits = readonly (number | undefined)[];

/** Creates consumers with grants and a policy for ConfigMaps, and waits until the policy is ready. */
export async function setUpQuota(client: ApiClient, limits: Limits): Promise<void> {
  for (let consumer = 1; consumer < limits.length; consumer += 1) await created(client, namespaceManifest(consumer));
  await created(client, registration);
  for (const [consumer, limit] of limits.entries()) await created(client, grant(consumer, limit));
  await created(client, policy);
  await until(client, policy, "PolicyReady");
}

/** Waits until an object has a condition with that reason. */
export async function until(client: ApiClient, object: Manifest, reason: string): Promise<void> {
  const deadline = performance.now() + readyMsMax;
  let last = "";
  while (performance.now() < deadline) {
    last = (await client.get(object)).text;
    if (last.includes(`"reason":"${reason}"`)) return;
    await new Promise((resolve) => setTimeout(resolve, readyPollMs));
  }
  throw new Error(`${object.kind} ${object.metadata.name} has no condition ${reason}: ${last.slice(0, 500)}`);
}

async function created(client: ApiClient, object: Manifest): Promise<void> {
  const { statusCode, text } = await client.create(object);
  if (statusCode !== 201) throw new Error(`${object.kind}: ${statusCode}: ${text.slice(0, 300)}`);
}
