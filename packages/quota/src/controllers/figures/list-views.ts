import type { RawItem } from "@milo-quota/kubernetes/client/resources/list-page.ts";
import { nameIn, UnreadableObject } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import { pageSize } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import type { ObjectSource } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { bucketName, effectiveGrantName } from "../../core/resources/object-names.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import type { Runtime } from "../../views/runtime.ts";
import { inTime } from "../in-time.ts";
import type { ListedView } from "./stored-views.ts";
import { type AnyView, storedViewOf, viewParsers, viewTypes } from "./view-store.ts";
import type { ViewKind } from "./wanted-view.ts";

const kinds: readonly ViewKind[] = ["EffectiveResourceGrant", "AllowanceBucket"];

/** All views there are, in all planes. Pages are none, and neither is what somebody else called by a name of their own. */
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

async function* itemsOf({ clock }: Runtime, source: ObjectSource, signal: AbortSignal): AsyncGenerator<RawItem> {
  let next = "";
  do {
    const paging = { limit: pageSize, ...(next === "" ? {} : { continue: next }) };
    const page = await inTime(clock, signal, (limit) => source.page(paging, limit));
    yield* page.items;
    next = page.continue;
  } while (next !== "");
}

/** One that cannot be read hides no other. */
function viewIn(runtime: Runtime, kind: ViewKind, source: ObjectSource, item: RawItem): ListedView | undefined {
  const { planes, report } = runtime;
  const parsed = viewParsers[kind](item.object);
  if (!parsed.ok) {
    report("figures", new UnreadableObject(`${kind} ${nameIn(item.object)}`, parsed.issues));
    return undefined;
  }
  const view = parsed.value;
  const { consumer, resourceType } = view;
  const plane = source.planeOf(item.plane, item.object);
  const ref = ownRef(planes, view);
  const { namespace, name } = view.metadata;
  if (ref === undefined || ref.namespace !== namespace || ref.name !== name) return undefined;
  return { key: { plane, consumer, resourceType }, place: { plane, kind, ...ref }, stored: storedViewOf(view) };
}

/** Where we would have put it; undefined for a page. */
function ownRef(
  planes: ControlPlanes,
  view: AnyView,
): { readonly namespace: string; readonly name: string } | undefined {
  const { consumer, resourceType } = view;
  const namespace = planes.bucketNamespace(consumer);
  if (!("dimensions" in view)) return { namespace, name: effectiveGrantName(consumer, resourceType) };
  if (dimensionKey(view.dimensions) === "") return undefined;
  return { namespace, name: bucketName(consumer, resourceType, view.dimensions) };
}
