import { type ReconcileResult, reconciled, type WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { aggregatedRules, roleRewrites } from "../http/access/rbac/aggregation.ts";
import type { ApiObject } from "../registry/kinds/api-object.ts";
import type { KindCatalog } from "../registry/kinds/kind-catalog.ts";
import type { WriteRequest } from "../registry/object-request.ts";
import { nextByPatch } from "../registry/patch-state.ts";
import type { Registry } from "../registry/registry.ts";
import { updateObject } from "../registry/update.ts";
import { controllerQueue } from "./controller-queue.ts";
import { Gone, ignoreGone } from "./gone.ts";
import { serverRequest, systemUser } from "./server-request.ts";

const group = "rbac.authorization.k8s.io";
const roles = `clusterroles.${group}`;
const manager = "clusterrole-aggregation-controller";
const user = systemUser(manager);

/** Keeps the rules of aggregated ClusterRoles current. One rewrite may make another necessary. */
export class RoleAggregator {
  readonly #registry: Registry;
  readonly #kinds: KindCatalog;
  readonly #queue: WorkQueue<string>;
  readonly #stopWatch: () => void;

  constructor(registry: Registry, kinds: KindCatalog, report: (error: unknown) => void) {
    this.#registry = registry;
    this.#kinds = kinds;
    const { clock, random, store } = registry;
    const reconcile = (plane: string, signal: AbortSignal): Promise<ReconcileResult> => this.#reconcile(plane, signal);
    this.#queue = controllerQueue({ idOf: (plane) => plane, clock, random, report, reconcile });
    const from = store.revision;
    for (const plane of new Set([...store.list({ resource: roles })].map(({ key }) => key.plane)))
      this.#queue.add(plane);
    this.#stopWatch = store.watch({ resource: roles }, from, ({ stored }) => this.#queue.add(stored.key.plane));
  }

  stop(): void {
    this.#stopWatch();
    void this.#queue.stop();
  }

  async #reconcile(plane: string, signal: AbortSignal): Promise<ReconcileResult> {
    for (const { role } of roleRewrites(this.#all(plane))) {
      await this.#rewrite(plane, (role as unknown as ApiObject).metadata.name as string, signal);
    }
    return reconciled;
  }

  #all(plane: string): readonly JsonObject[] {
    return [...this.#registry.store.list({ plane, resource: roles })].map(({ object }) => object);
  }

  async #rewrite(plane: string, name: string, signal: AbortSignal): Promise<void> {
    const kind = this.#kinds.inPlane(plane).find(group, "v1", "clusterroles");
    if (kind === undefined) return;
    const key = { plane, resource: roles, namespace: "", name };
    const request = { ...serverRequest(key, kind, user, signal), manager };
    await updateObject(this.#registry, request, name, (current) => {
      if (current === undefined) throw new Gone();
      const rules = aggregatedRules(current, this.#all(plane));
      return rules === undefined ? current : this.#applied(request, current, rules);
    }).catch(ignoreGone);
  }

  /** This controller owns the rules, whichever manager wrote them before. */
  #applied(request: WriteRequest, current: ApiObject, rules: unknown): ApiObject {
    const { name } = current.metadata;
    const text = JSON.stringify({ apiVersion: `${group}/v1`, kind: "ClusterRole", metadata: { name }, rules });
    const patch = { type: "apply", text, force: true, name: name as string } as const;
    return nextByPatch(patch, request, this.#registry.clock)(current);
  }
}
