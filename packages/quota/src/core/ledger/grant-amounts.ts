import { displayAmount } from "../resources/fields/units.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { activeRegistration, type RegistrationView } from "../resources/rules/registration-rules.ts";
import { total } from "./arithmetic.ts";

/** The amounts of a grant in display units: `3 projects, 8 GiB`. An unregistered type is shown by its name. */
export function grantAmounts({ allowances }: ResourceGrant, view: RegistrationView): string {
  const types = [...new Set(allowances.map(({ resourceType }) => resourceType))];
  return types
    .map((type) => {
      const own = allowances.filter(({ resourceType }) => resourceType === type);
      const amount = total(own.flatMap(({ buckets }) => buckets.map((bucket) => bucket.amount)));
      const registration = activeRegistration(view, type);
      return registration === undefined ? `${amount} ${type}` : displayAmount(amount, registration.unit);
    })
    .join(", ");
}
