import { type OpenApiSchema, OpenApiSchemas } from "@milo-quota/kubernetes/client/discovery/openapi-schemas.ts";
import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { PolicyTrigger } from "../core/resources/fields/policy-trigger.ts";
import type { Runtime } from "./runtime.ts";

/** The schema of the kind that a policy applies to. */
export interface TriggerSchema extends OpenApiSchema {
  /** Whether the kind comes from a CustomResourceDefinition, so that its schema may change, and may be out of date. */
  readonly isCustom: boolean;
}

const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

/** Reads the schemas of trigger kinds from the API server. */
export class TriggerSchemas {
  readonly #planes: Runtime["planes"];
  readonly #schemas: OpenApiSchemas;
  readonly #restMapper: RestMapper;

  constructor({ planes, clock }: Pick<Runtime, "planes" | "clock">) {
    this.#planes = planes;
    this.#schemas = new OpenApiSchemas((plane) => planes.client(plane));
    this.#restMapper = new RestMapper((plane) => planes.client(plane), clock);
  }

  /** Undefined when the server does not serve the kind in that version. Rejects when the server cannot tell. */
  async of(
    plane: string,
    trigger: Pick<PolicyTrigger, "apiVersion" | "kind">,
    signal: AbortSignal,
  ): Promise<TriggerSchema | undefined> {
    const schema = await this.#schemas.schemaOf(plane, trigger, signal);
    return schema && { ...schema, isCustom: await this.#isCustom(plane, trigger, signal) };
  }

  async #isCustom(
    plane: string,
    { apiVersion, kind }: Pick<PolicyTrigger, "apiVersion" | "kind">,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { group } = parseApiVersion(apiVersion);
    if (group === "") return false;
    const type = await this.#restMapper.resourceFor(plane, { apiGroup: group, kind });
    if (type === undefined) return true; // just defined
    const name = `${type.plural}.${group}`;
    // A control plane may serve the definitions of the root.
    return (await this.#isDefined(plane, name, signal)) || this.#isDefined(this.#planes.root, name, signal);
  }

  async #isDefined(plane: string, name: string, signal: AbortSignal): Promise<boolean> {
    const definitions = this.#planes.client(plane).resource(definitionsType, anyObject);
    try {
      return (await definitions.find({ name }, signal)) !== undefined;
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 403) return true; // the safe assumption
      throw error;
    }
  }
}
