import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { Condition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  claimPoliciesType,
  grantPoliciesType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import type { Runtime } from "@milo-quota/quota/views/runtime.ts";
import { organization, QuotaWorld, registration } from "../grants/quota-world.ts";

export type Json = Record<string, unknown>;

export const configMaps: ResourceType = { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" };
export const namespaces: ResourceType = { group: "", version: "v1", plural: "namespaces", scope: "Cluster" };
export const events: ResourceType = { group: "", version: "v1", plural: "events", scope: "Namespaced" };
export const { signal } = new AbortController();
const apiVersion = "quota.miloapis.com/v1alpha1";

/** A quota world with a REST mapper. */
export async function startPolicyWorld(planes: readonly string[] = ["root"]) {
  const world = await QuotaWorld.start(planes);
  const restMapper = new RestMapper((plane) => world.runtime.planes.client(plane), world.clock);
  return { world, restMapper, owned: (owned: readonly string[]) => ownedPlanes(world.runtime, owned) };
}

/** Makes some planes belong to a project of the same name. */
function ownedPlanes(runtime: Runtime, owned: readonly string[]): Runtime {
  const kind = { ...organization, kind: "Project" };
  const tenantOf = (plane: string) => (owned.includes(plane) ? { ...kind, namespace: "", name: plane } : undefined);
  const tenantKinds = (plane: string) => (owned.includes(plane) ? [kind] : []);
  return { ...runtime, planes: { ...runtime.planes, tenantOf, tenantKinds } };
}

/** Creates an active registration. */
export async function register(world: QuotaWorld, resourceType: string, spec: Json = {}): Promise<void> {
  await world.create(registrationsType, registration(resourceType, spec));
  await activate(world, resourceType);
}

export async function activate(world: QuotaWorld, name: string, status: "True" | "False" = "True"): Promise<void> {
  const reason = status === "True" ? "RegistrationActive" : "ValidationFailed";
  const condition = {
    type: "Active",
    status,
    reason,
    message: "set by a test",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const patch = { type: "merge", body: { status: { conditions: [condition] } } } as const;
  await world.resource(registrationsType).patch({ name }, patch, { subresource: "status" }, signal);
}

export function grantPolicy(name: string, spec: Json = {}, template: Json = {}): Json {
  return {
    apiVersion,
    kind: "GrantCreationPolicy",
    metadata: { name },
    spec: {
      trigger: {
        resource: { apiVersion: "v1", kind: "ConfigMap" },
        constraints: [{ expression: '"plan" in trigger.data' }],
      },
      target: {
        resourceGrantTemplate: {
          spec: {
            consumerRef: { ...organization, name: "{{ trigger.metadata.name }}" },
            allowances: [{ resourceType: "projects", buckets: [{ amountExpression: "int(trigger.data.plan)" }] }],
          },
          ...template,
        },
      },
      ...spec,
    },
  };
}

export function claimPolicy(name: string, spec: Json = {}, claimSpec: Json = {}): Json {
  return {
    apiVersion,
    kind: "ClaimCreationPolicy",
    metadata: { name },
    spec: {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
      target: {
        resourceClaimTemplate: {
          spec: {
            consumerRef: { ...organization, name: "acme" },
            requests: [{ resourceType: "projects", amount: 1 }],
            ...claimSpec,
          },
        },
      },
      ...spec,
    },
  };
}

export function configMap(name: string, data: Record<string, string>, namespace = "default"): Json {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
}

/** Sorted grants as `<plane>/<namespace>/<consumer>: <amounts>`. */
export async function grantsIn(world: QuotaWorld, ...planes: readonly string[]): Promise<readonly string[]> {
  const all = await Promise.all(
    planes.map(async (plane) => {
      const { items } = await world.resource(grantsType, plane).list({}, signal);
      return items.map((grant) => `${plane}/${textOf(grant)}`);
    }),
  );
  return all.flat().sort();
}

function textOf(grant: JsonObject): string {
  const { metadata, spec } = grant as unknown as {
    metadata: { namespace: string };
    spec: { consumerRef: { name: string }; allowances: { buckets: { amount: number }[] }[] };
  };
  const amounts = spec.allowances.flatMap(({ buckets }) => buckets.map(({ amount }) => amount));
  return `${metadata.namespace}/${spec.consumerRef.name}: ${amounts.join(" + ")}`;
}

/** A condition of a policy as `<status> <reason>: <message>`. */
export async function shown(
  world: QuotaWorld,
  kind: "claim" | "grant",
  name: string,
  { type = "Ready", plane = "root" } = {},
): Promise<string | undefined> {
  const policy = await world.find(kind === "claim" ? claimPoliciesType : grantPoliciesType, name, { plane });
  const { conditions = [] } = (policy?.["status"] ?? {}) as { conditions?: readonly Condition[] };
  const found = conditions.find((condition) => condition.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
}
