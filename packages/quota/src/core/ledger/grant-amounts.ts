import { displayAmount } from "../resources/fields/units.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { activeRegistration, type RegistrationView } from "../resources/rules/registration-rules.ts";
import { total } from "./arithmetic.ts";

/** What a grant gives, in the units people read: `3 projects, 8 GiB`. What nobody registered has no unit but its name. */
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
