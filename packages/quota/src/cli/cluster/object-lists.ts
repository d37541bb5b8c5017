import type { ListOptions } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";

/** More than this is for programs, not for people. */
const objectsMax = 200_000;

/** All objects of a kind. */
export async function listAll<Kind>(
  objects: ResourceClient<Kind>,
  options: ListOptions,
  signal: AbortSignal,
): Promise<readonly Kind[]> {
  const all: Kind[] = [];
  for await (const page of objects.pages(options, signal)) {
    all.push(...page.items);
    if (all.length > objectsMax) throw new RangeError(`more than ${objectsMax} ${objects.type.plural}`);
  }
  return all;
}

/** Does work for many, a few at a time; in the order given. */
export async function forEachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  atOnce = 8,
): Promise<readonly Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
