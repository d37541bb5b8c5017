import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Amount } from "../core/resources/fields/amount.ts";
import { displayAmount, displayNumber, type Unit } from "../core/resources/fields/units.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import { activeRegistration, type RegistrationView } from "../core/resources/rules/registration-rules.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { QuotaObjects } from "./cluster/quota-objects.ts";

/** What resource types are counted in, as far as registrations say. */
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

  /** A feature is on or off; nobody uses it up. */
  isFeature(resourceType: string): boolean {
    return this.byResourceType(resourceType)[0]?.type === "Feature";
  }

  limitText(limit: Amount, resourceType: string): string {
    if (this.isFeature(resourceType)) return limit > 0n ? "on" : "off";
    return this.text(limit, resourceType);
  }

  /** What people read; a bare number where nobody knows the unit. */
  text(amount: Amount, resourceType: string): string {
    const unit = this.unitOf(resourceType);
    return unit === undefined ? String(amount) : displayAmount(amount, unit);
  }

  /** The same beside an amount that names the unit already. */
  number(amount: Amount, resourceType: string): string {
    const unit = this.unitOf(resourceType);
    return unit === undefined ? String(amount) : displayNumber(amount, unit);
  }
}

/** Registrations hold everywhere and are kept at home. Whoever may not read them there reads bare numbers. */
export async function readUnits(cluster: Cluster, signal: AbortSignal): Promise<Units> {
  try {
    return new Units(await new QuotaObjects(cluster.home, cluster.note, signal).registrations());
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
    cluster.note(
      "Amounts are in base units: you may not read registrations here. Members of an organization see them with --organization NAME.",
    );
    return new Units([]);
  }
}
