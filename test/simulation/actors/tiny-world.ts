import type { SeededRandom } from "../world/seeded-random.ts";

/** Who uses quota. */
export interface Consumer {
  readonly apiGroup: string;
  readonly kind: "Organization" | "Project";
  readonly name: string;
  /** The plane in which its grants, claims and buckets are. */
  readonly plane: string;
}

/** What is counted. */
export interface Counted {
  readonly resourceType: string;
  readonly consumerKind: Consumer["kind"];
  readonly claimedBy: { readonly apiGroup: string; readonly kind: string };
  /** Where it may be; nowhere in particular when there are none. */
  readonly places: readonly string[];
  /** How much there is of it in all, more or less. */
  readonly plenty: number;
}

/** A small world full of contention, by chance: few consumers, few types, and never enough. */
export interface TinyWorld {
  readonly consumers: readonly [Consumer, ...Consumer[]];
  readonly counted: readonly [Counted, ...Counted[]];
  readonly policies: readonly PolicyName[];
  /** Whether Secrets give their organization a bonus, wherever they are. */
  readonly hasBonus: boolean;
  /** Whether the API server tells the door when an object was not stored after all. */
  readonly doorIsTold: boolean;
}

/** `configs` and `cores` are about ConfigMaps of organizations, `hooks` about configurations of webhooks in one project's plane. */
export type PolicyName = "configs" | "cores" | "hooks-a" | "hooks-b";

const apiGroup = "resourcemanager.miloapis.com";
export const placeDimension = "example.com/place";

const acme: Consumer = { apiGroup, kind: "Organization", name: "acme", plane: "root" };
const globex: Consumer = { apiGroup, kind: "Organization", name: "globex", plane: "root" };
const projectA: Consumer = { apiGroup, kind: "Project", name: "a", plane: "project-a" };
const projectB: Consumer = { apiGroup, kind: "Project", name: "b", plane: "project-b" };

export const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const webhookConfigurationKind = { apiGroup: "admissionregistration.k8s.io", kind: "ValidatingWebhookConfiguration" };

export function drawWorld(random: SeededRandom): TinyWorld {
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
    counted: [counted[0] as Counted, ...counted.slice(1)],
    policies,
    hasBonus: random.chance(0.4),
    doorIsTold: random.chance(0.5),
  };
}

function countedBy(random: SeededRandom): readonly Counted[] {
  const of = (resourceType: string, consumerKind: Consumer["kind"], claimedBy: Counted["claimedBy"]): Counted => ({
    resourceType,
    consumerKind,
    claimedBy,
    places: random.chance(resourceType.endsWith("cores") ? 0.7 : 0.2) ? ["here", "there"] : [],
    plenty: random.pick([1, 2, 3, 5, 10]),
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

function policyNames(counted: readonly Counted[], consumers: readonly Consumer[]): readonly PolicyName[] {
  const has = (tail: string): boolean => counted.some(({ resourceType }) => resourceType.endsWith(tail));
  const isThere = (consumer: Consumer): boolean => has("hooks") && consumers.includes(consumer);
  return [
    ...(has("configs") ? (["configs"] as const) : []),
    ...(has("cores") ? (["cores"] as const) : []),
    ...(isThere(projectA) ? (["hooks-a"] as const) : []),
    ...(isThere(projectB) ? (["hooks-b"] as const) : []),
  ];
}
