import type { SeededRandom } from "../world/seeded-random.ts";

/** A consumer of quota. */
export interface Consumer {
  readonly apiGroup: string;
  readonly kind: "Organization" | "Project";
  readonly name: string;
  /** The plane in which its grants, claims and buckets are. */
  readonly plane: string;
}

/** A resource type that is counted. */
export interface CountedType {
  readonly resourceType: string;
  readonly consumerKind: Consumer["kind"];
  readonly claimedBy: { readonly apiGroup: string; readonly kind: string };
  /** Values of its place dimension; empty for a type without dimensions. */
  readonly places: readonly string[];
  /** Rough size of its grants. */
  readonly capacity: number;
}

/** What a workload runs on, drawn from the seed: few consumers and types and little capacity, for much contention. */
export interface Topology {
  readonly consumers: readonly [Consumer, ...Consumer[]];
  readonly counted: readonly [CountedType, ...CountedType[]];
  readonly policies: readonly PolicyName[];
  /** Whether a grant policy gives organizations a bonus for labelled Secrets. */
  readonly hasBonus: boolean;
  /** Whether the API server tells the webhook that an admitted object was not stored. */
  readonly reportsOutcome: boolean;
}

/** `configs` and `cores` count ConfigMaps of organizations, `hooks-*` webhook configurations in a project's plane. */
export type PolicyName = "configs" | "cores" | "hooks-a" | "hooks-b";

const apiGroup = "resourcemanager.miloapis.com";
export const placeDimension = "example.com/place";

const acme: Consumer = { apiGroup, kind: "Organization", name: "acme", plane: "root" };
const globex: Consumer = { apiGroup, kind: "Organization", name: "globex", plane: "root" };
const projectA: Consumer = { apiGroup, kind: "Project", name: "a", plane: "project-a" };
const projectB: Consumer = { apiGroup, kind: "Project", name: "b", plane: "project-b" };

export const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const webhookConfigurationKind = { apiGroup: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" };

export function drawTopology(random: SeededRandom): Topology {
  const consumers = random.pick([
    [acme, globex],
    [acme, projectA],
    [acme, globex, projectA],
    [acme, globex, projectA, projectB],
  ] as const);
  const counted = countedBy(random).filter(({ consumerKind }) => consumers.some(({ kind }) => kind === consumerKind));
  const policies = policyNames(counted, consumers).filter(() => random.chance(0.8));
  return {
    consumers,
    counted: [counted[0] as CountedType, ...counted.slice(1)],
    policies,
    hasBonus: random.chance(0.4),
    reportsOutcome: random.chance(0.5),
  };
}

function countedBy(random: SeededRandom): readonly CountedType[] {
  const of = (
    resourceType: string,
    consumerKind: Consumer["kind"],
    claimedBy: CountedType["claimedBy"],
  ): CountedType => ({
    resourceType,
    consumerKind,
    claimedBy,
    places: random.chance(resourceType.endsWith("cores") ? 0.7 : 0.2) ? ["here", "there"] : [],
    capacity: random.pick([1, 2, 3, 5, 10]),
  });
  const configs = of("example.com/configs", "Organization", configMapKind);
  const cores = of("example.com/cores", "Organization", configMapKind);
  const hooks = of("example.com/hooks", "Project", webhookConfigurationKind);
  return random.pick([
    [configs, hooks],
    [configs, cores],
    [configs, cores, hooks],
  ]);
}

function policyNames(counted: readonly CountedType[], consumers: readonly Consumer[]): readonly PolicyName[] {
  const has = (name: string): boolean => counted.some(({ resourceType }) => resourceType.endsWith(name));
  const hasHooks = (consumer: Consumer): boolean => has("hooks") && consumers.includes(consumer);
  return [
    ...(has("configs") ? (["configs"] as const) : []),
    ...(has("cores") ? (["cores"] as const) : []),
    ...(hasHooks(projectA) ? (["hooks-a"] as const) : []),
    ...(hasHooks(projectB) ? (["hooks-b"] as const) : []),
  ];
}
