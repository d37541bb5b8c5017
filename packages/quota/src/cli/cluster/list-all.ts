import type { ListOptions } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import type { ResourceClient } from "@milo-quota/kubernetes/client/resources/resource-client.ts";

/** Keeps a command from using up the memory of a workstation. */
const objectsMax = 200_000;

/** Lists all objects of a kind, page by page. */
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
