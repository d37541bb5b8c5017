import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Amount } from "../core/resources/fields/amount.ts";
import { displayAmount, displayNumber, type Unit } from "../core/resources/fields/units.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/rules/registration-rules.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { QuotaObjects } from "./cluster/quota-objects.ts";

/** The units of resource types, from their registrations. */
export class Units implements RegistrationView {
  readonly #byType = new Map<string, ResourceRegistration[]>();

  constructor(registrations: readonly ResourceRegistration[]) {
    for (const registration of registrations) {
      const { resourceType } = registration;
      this.#byType.set(resourceType, [...(this.#byType.get(resourceType) ?? []), registration]);
    }
  }

  byResourceType(resourceType: string): readonly ResourceRegistration[] {
    return this.#byType.get(resourceType) ?? [];
  }

  unitOf(resourceType: string): Unit | undefined {
    return (activeRegistration(this, resourceType) ?? this.byResourceType(resourceType)[0])?.unit;
  }

  /** A feature is on or off, and has no usage. */
  isFeature(resourceType: string): boolean {
    return this.byResourceType(resourceType)[0]?.type === "Feature";
  }

  limitText(limit: Amount, resourceType: string): string {
    if (this.isFeature(resourceType)) return limit > 0n ? "on" : "off";
    return this.text(limit, resourceType);
  }

  /** The amount in display units; a bare number if the type is not registered. */
  text(amount: Amount, resourceType: string): string {
    const unit = this.unitOf(resourceType);
    return unit === undefined ? String(amount) : displayAmount(amount, unit);
  }

  /** Without the unit where it would repeat that of an amount shown beside it. */
  number(amount: Amount, resourceType: string): string {
    const unit = this.unitOf(resourceType);
    return unit === undefined ? String(amount) : displayNumber(amount, unit);
  }
}

/** Registrations apply to all control planes and are stored in the root. Without access to them, amounts are bare numbers. */
export async function readUnits(cluster: Cluster, signal: AbortSignal): Promise<Units> {
  try {
    return new Units(await new QuotaObjects(cluster.root, cluster.printErr, signal).registrations());
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    cluster.printErr(
      "Amounts are in base units, because you lack permission to read registrations. Members of an organization can read " +
        "them with --organization NAME.",
    );
    return new Units([]);
  }
}
