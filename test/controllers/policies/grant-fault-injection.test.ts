import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { GrantEngine } from "@milo-quota/quota/controllers/policies/grant-engine.ts";
import { ParentContexts } from "@milo-quota/quota/controllers/policies/parent-contexts.ts";
import { GrantPolicyCache } from "@milo-quota/quota/views/grant-policy-cache.ts";
import { grantPoliciesType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import type { Running } from "@milo-quota/quota/views/runtime.ts";
import { describe, expect, it } from "vitest";
import { grant, organization, type QuotaWorld } from "../grants/quota-world.ts";
import {
  configMap,
  configMaps,
  grantPolicy,
  grantsIn,
  type Json,
  register,
  signal,
  startPolicyWorld,
} from "./policy-world.ts";

const planes = ["root", "a", "b"] as const;
const seeds = [1, 2, 3, 4, 5, 6];
const steps = 120;

/** Pseudorandom numbers by seed. */
function randomOf(seed: number) {
  let state = seed * 2_654_435_761;
  const fraction = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  return { fraction, of: <Item>(items: readonly Item[]): Item => items[Math.floor(fraction() * items.length)] as Item };
}

interface PolicyState {
  readonly target: "own" | "project";
  readonly isOn: boolean;
}

/** Changes objects and policies, and knows the expected grants. */
class Actor {
  readonly #world: QuotaWorld;
  readonly #random: ReturnType<typeof randomOf>;
  readonly #plans = new Map<string, { readonly plan: string; readonly project: string }>();
  #policy: PolicyState | undefined;

  constructor(world: QuotaWorld, random: ReturnType<typeof randomOf>) {
    this.#world = world;
    this.#random = random;
  }

  act(): Promise<unknown> {
    const acts = [this.#putPlan, this.#putPlan, this.#dropPlan, this.#putPolicy, this.#spoilGrant];
    return this.#random.of(acts).call(this);
  }

  /** The expected grants, as `grantsIn` shows them, and one manual grant. */
  get expected(): readonly string[] {
    const { target, isOn } = this.#policy ?? { target: "own", isOn: false };
    const created = [...this.#plans].map(([key, { plan, project }]) => {
      const [plane = "", name = ""] = key.split("/");
      return `${target === "own" ? plane : project}/default/${name}: ${plan}`;
    });
    return [...(isOn ? created : []), "root/default/acme: 3"].sort();
  }

  async #putPlan(): Promise<void> {
    const [plane, name] = [this.#random.of(planes), this.#random.of(["x", "y", "z"])];
    const data = { plan: String(this.#random.of([1, 2, 3])), project: this.#random.of(["a", "b"]) };
    const client = this.#world.resource(configMaps, plane);
    const known = this.#plans.has(`${plane}/${name}`);
    this.#plans.set(`${plane}/${name}`, data);
    if (!known) await this.#world.create(configMaps, configMap(name, data), plane);
    else await client.patch({ namespace: "default", name }, { type: "merge", body: { data } }, {}, signal);
  }

  async #dropPlan(): Promise<void> {
    const [key] = [...this.#plans.keys()];
    if (key === undefined) return;
    this.#plans.delete(key);
    const [plane = "", name = ""] = key.split("/");
    await this.#world.resource(configMaps, plane).delete({ namespace: "default", name }, {}, signal);
  }

  /** Without a policy in effect, what is left depends on the moment at which it ended. */
  async enablePolicy(): Promise<void> {
    if (this.#policy?.isOn !== true) await this.#replacePolicy({ target: "own", isOn: true });
  }

  async #putPolicy(): Promise<void> {
    const next = this.#random.of(["own", "project", "own", "project", "none"] as const);
    await this.#replacePolicy(next === "none" ? undefined : { target: next, isOn: this.#random.fraction() < 0.75 });
  }

  async #replacePolicy(next: PolicyState | undefined): Promise<void> {
    const before = this.#policy;
    this.#policy = next;
    const client = this.#world.resource(grantPoliciesType);
    if (before !== undefined) await client.delete({ name: "plans" }, {}, signal);
    if (this.#policy === undefined) return;
    const created = grantPolicy("plans") as { spec: { target: Json } };
    const parentContext = {
      apiGroup: organization.apiGroup,
      kind: "Project",
      nameExpression: "trigger.data.project",
    };
    const target = { ...created.spec.target, ...(this.#policy.target === "own" ? {} : { parentContext }) };
    await this.#world.create(grantPoliciesType, {
      ...created,
      spec: { ...created.spec, target, disabled: !this.#policy.isOn },
    });
  }

  /** Changes or deletes grants of the engine. */
  async #spoilGrant(): Promise<void> {
    const plane = this.#random.of(planes);
    const client = this.#world.resource(grantsType, plane);
    const { items } = await client.list({}, signal);
    const names = items.map(({ metadata }) => (metadata as unknown as ObjectMeta).name ?? "");
    const mine = names.filter((name) => name !== "by-hand");
    if (mine.length === 0) return;
    const ref = { namespace: "default", name: this.#random.of(mine) };
    const allowances = [{ resourceType: "projects", buckets: [{ amount: 99 }] }];
    const spoiling =
      this.#random.fraction() < 0.5
        ? client.delete(ref, {}, signal)
        : client.patch(ref, { type: "merge", body: { spec: { allowances } } }, {}, signal);
    await spoiling.catch(() => undefined); // it was deleted meanwhile
  }
}

/** Randomly loses requests and responses of the engine. */
function spoilCalls(world: QuotaWorld, random: ReturnType<typeof randomOf>, isEngine: () => boolean): () => void {
  const replayed = new WeakSet<Call>();
  world.intercept = async (call) => {
    if (!isEngine() || replayed.has(call)) return;
    const chance = random.fraction();
    if (chance < 0.15) throw new Error("the request was lost");
    if (chance >= 0.3) return;
    const again = { ...call };
    replayed.add(again);
    await world.runtime.planes.client("root").transport.request(again, signal);
    throw new Error("the response was lost");
  };
  return () => {
    world.intercept = () => undefined;
  };
}

describe("grants of policies", () => {
  for (const seed of seeds) {
    it(`converge to what policies render despite faults (seed ${seed})`, async () => {
      const { world, restMapper } = await startPolicyWorld([...planes]);
      try {
        await register(world, "projects");
        await world.create(grantsType, grant("by-hand"));
        const random = randomOf(seed);
        const { runtime, views } = world;
        const start = (): Running[] => {
          const policies = new GrantPolicyCache(runtime.planes, views.grantPolicies, views.registrationIndex);
          const parents = new ParentContexts();
          const events = { record: () => undefined };
          return [new GrantEngine({ runtime, views, policies, restMapper, parents, events })];
        };
        const stop = async (running: readonly Running[]): Promise<void> => {
          for (const each of running) await each.stop();
        };
        let isActing = false;
        const heal = spoilCalls(world, random, () => !isActing);
        const actor = new Actor(world, random);
        let engine = start();
        for (let step = 0; step < steps; step += 1) {
          isActing = true;
          await actor.act();
          isActing = false;
          if (random.fraction() < 0.6) await world.pass(random.of([100, 300, 1_000, 4_000]));
          if (random.fraction() > 0.08) continue;
          const stopping = stop(engine);
          engine = start(); // before the other has stopped, as with two leaders
          await Promise.race([stopping, world.pass(15_000)]);
          await stopping;
        }
        isActing = true;
        await actor.enablePolicy();
        heal();
        await world.eventually(async () => expect(await grantsIn(world, ...planes)).toEqual(actor.expected), 1_500);
        await world.pass(40_000);
        world.writes.length = 0;
        await world.pass(60_000);
        expect(world.writes).toEqual([]);
        expect(await grantsIn(world, ...planes)).toEqual(actor.expected);
        await Promise.all([stop(engine), world.pass(15_000)]);
      } finally {
        await world.stop();
      }
    });
  }
});
