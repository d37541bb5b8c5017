import type { RawItem } from "@milo-quota/kubernetes/client/resources/list-page.ts";
import { nameIn, UnreadableObject } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import { pageSize } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName, effectiveGrantName } from "../../core/resources/object-names.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { Runtime } from "../../views/runtime.ts";
import { withTimeout } from "../with-timeout.ts";
import type { ViewKind } from "./desired-view.ts";
import type { ListedView } from "./view-cache.ts";
import { type AnyView, storedViewOf, viewParsers, viewTypes } from "./view-store.ts";

const kinds: readonly ViewKind[] = ["EffectiveResourceGrant", "AllowanceBucket"];

/** Lists the views in all control planes. Skips ledger buckets, and objects whose name is not the one we would give them. */
export async function listViews(runtime: Runtime, signal: AbortSignal): Promise<readonly ListedView[]> {
  const found: ListedView[] = [];
  for (const kind of kinds) {
    const source = runtime.planes.everywhere(viewTypes[kind]);
    for await (const item of itemsOf(runtime, source, signal)) {
      const view = viewIn(runtime, kind, source, item);
      if (view !== undefined) found.push(view);
    }
  }
  return found;
}

async function* itemsOf({ clock }: Runtime, source: ListerWatcher, signal: AbortSignal): AsyncGenerator<RawItem> {
  let next = "";
  do {
    const paging = { limit: pageSize, ...(next === "" ? {} : { continue: next }) };
    const page = await withTimeout(clock, signal, (limit) => source.list(paging, limit));
    yield* page.items;
    next = page.continue;
  } while (next !== "");
}

/** Reports an object that cannot be parsed, and skips it. */
function viewIn(runtime: Runtime, kind: ViewKind, source: ListerWatcher, item: RawItem): ListedView | undefined {
  const { planes, report } = runtime;
  const parsed = viewParsers[kind](item.object);
  if (!parsed.ok) {
    report("figures", new UnreadableObject(`${kind} ${nameIn(item.object)}`, parsed.issues));
    return undefined;
  }
  const view = parsed.value;
  const { consumer, resourceType } = view;
  const plane = source.planeOf(item.plane, item.object);
  const ref = viewRef(planes, view);
  const { namespace, name } = view.metadata;
  if (ref === undefined || ref.namespace !== namespace || ref.name !== name) return undefined;
  return { key: { plane, consumer, resourceType }, viewKey: { plane, kind, ...ref }, stored: storedViewOf(view) };
}

/** The name that we would give it; undefined for a ledger bucket. */
function viewRef(
  planes: ControlPlanes,
  view: AnyView,
): { readonly namespace: string; readonly name: string } | undefined {
  const { consumer, resourceType } = view;
  const namespace = planes.bucketNamespace(consumer);
  if (!("dimensions" in view)) return { namespace, name: effectiveGrantName(consumer, resourceType) };
  if (dimensionKey(view.dimensions) === "") return undefined;
  return { namespace, name: bucketName(consumer, resourceType, view.dimensions) };
}
