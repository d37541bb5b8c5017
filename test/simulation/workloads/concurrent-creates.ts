import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { bucketsType } from "@milo-quota/quota/views/quota-types.ts";
import { clientOf, configMaps, runReportingFailure, signal, sleep } from "../actors/clients.ts";
import { EmbeddedQuota } from "../actors/embedded-quota.ts";
import { create as post } from "../actors/object-calls.ts";
import { AdmissionHistory } from "../invariants/admission-history.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import { change, create, remove } from "../scenarios/client-actions.ts";
import { configMap, grant, registration, sizedPolicy } from "../scenarios/quota-objects.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import type { CreateWorkload, Step, World } from "../world/world.ts";

/** Upper bound of the clock skew that faults inject. */
const clockSkewMsMax = 400_000;
const types = ["example.com/cpu", "example.com/disk", "example.com/ports"] as const;
const clients = ["client-1", "client-2"] as const;

/** Clients create many objects concurrently, and each object claims several resource types. */
export const concurrentCreates: CreateWorkload = (world, random, { stepCount, lengthMs }) => {
  const history = new AdmissionHistory();
  const tolerances = { clockSkewMsMax, policyDelayMsMax: 2 * clockSkewMsMax };
  const checker = new QuotaChecker(world, history, tolerances);
  new EmbeddedQuota(world, history);
  const readyMs = Math.min(lengthMs >> 2, 1_000);
  const names = Array.from({ length: Math.max(6, stepCount) }, (_, at) => `o${at}`);
  const steps = Array.from({ length: stepCount }, () => ({
    atMs: random.between(readyMs, lengthMs),
    ...drawStep(random, names),
  }));
  return { steps: [opening(random), ...steps], checker, machines: [...clients, "people"] };
};

function opening(random: SeededRandom): Step {
  const amountMax = random.pick([6, 40, 200]);
  const amounts = types.map(() => random.between(1, amountMax));
  // Which types share a policy, and therefore a claim.
  const shares = random.pick([[[0, 1, 2]], [[0, 1], [2]], [[0], [1, 2]], [[0]], [[0], [1], [2]]] as const);
  return {
    atMs: 0,
    what: `operator registers and grants ${types.map((type, at) => `${amounts[at]} ${type}`).join(", ")}`,
    take: (world) => {
      for (const type of types) create(world, registration(type));
      for (const [at, type] of types.entries()) create(world, grant(nameOf(type), type, amounts[at] ?? 0));
      for (const [at, share] of shares.entries()) {
        const counted = share.map((type) => types[type] ?? types[0]);
        create(world, sizedPolicy(`policy-${at}`, counted));
      }
    },
  };
}

type Action = Omit<Step, "atMs">;

function drawStep(random: SeededRandom, names: readonly string[]): Action {
  const what = random.fraction();
  if (what < 0.15) return removal(random.pick(names));
  if (what < 0.25) return changedGrant(random);
  if (what < 0.27) return bucketDeletion();
  const count = random.pick([1, 1, 2, random.between(2, 12)]);
  return creation(random, random.shuffled(names).slice(0, count));
}

function creation(random: SeededRandom, names: readonly string[]): Action {
  const client = random.pick(clients);
  const objects = names.map((name) => configMap(name, random.pick([1, 1, 1, 2])));
  const tries = random.pick([1, 3]);
  return {
    what: `${client} creates ${names.join(", ")} concurrently`,
    take: (world) =>
      world.machine(client).run((host) => {
        for (const object of objects)
          runReportingFailure(host, "create", () => post(host, { plane: "root", type: configMaps, object }, tries));
      }, "once"),
  };
}

function removal(name: string): Action {
  return {
    what: `a client deletes ${name}`,
    take: (world) => remove(world, { kind: "ConfigMap", namespace: "default", name }),
  };
}

/** An operator deletes a bucket that is in use. */
function bucketDeletion(): Action {
  return {
    what: "an operator deletes the first bucket with allocations",
    take: (world) =>
      world.machine("people").run((host) => {
        const buckets = clientOf(host, "root", bucketsType);
        runReportingFailure(host, "bucket deletion", async () => {
          for (let looks = 0; looks < 100; looks += 1) {
            const used = (await buckets.list({}, signal)).items.find(hasAllocations);
            if (used !== undefined) return void (await buckets.delete(refOf(used), {}, signal));
            await sleep(host, 50);
          }
        });
      }, "once"),
  };
}

function hasAllocations(bucket: JsonObject): boolean {
  const { allocated = 0 } = (bucket["status"] ?? {}) as { readonly allocated?: number };
  return allocated > 0;
}

function refOf(object: JsonObject): { readonly namespace: string; readonly name: string } {
  const { namespace = "", name = "" } = object["metadata"] as ObjectMeta;
  return { namespace, name };
}

function changedGrant(random: SeededRandom): Action {
  const type = random.pick(types);
  const amount = random.pick([random.between(0, 8), random.between(5, 60)]);
  const body = { spec: { allowances: [{ resourceType: type, buckets: [{ amount }] }] } };
  return {
    what: `operator grants ${amount} ${type}`,
    take: (world: World) =>
      change(world, { kind: "ResourceGrant", namespace: "milo-system", name: nameOf(type) }, body),
  };
}

function nameOf(type: string): string {
  return type.slice(type.indexOf("/") + 1);
}
