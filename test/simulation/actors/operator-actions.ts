import { bucketsType, claimPoliciesType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { textsAt } from "../invariants/json-fields.ts";
import { startMs } from "../world/prepared-records.ts";
import {
  type Action,
  type ActionDraw,
  type ActorContext,
  actionOn,
  amountsText,
  countedFor,
  drawAmount,
  drawConsumer,
  shortName,
} from "./action.ts";
import { clientOf, signal } from "./clients.ts";
import { grantOf, type PolicyVariant, policyOf, registrationOf, type TypeAmount } from "./manifests.ts";
import { apply, metadataOf, remove } from "./operator-calls.ts";
import type { Consumer, CountedType, PolicyName } from "./topology.ts";

const operator = "operator";
const root = "root";

export function register(counted: CountedType, name = shortName(counted)): Action {
  return actionOn(operator, `registers ${counted.resourceType} as ${name}`, (host) =>
    apply(host, { plane: root, type: registrationsType }, registrationOf(counted, name)),
  );
}

export function grant(consumer: Consumer, name: string, given: readonly TypeAmount[], expiresAt?: string): Action {
  const until = expiresAt === undefined ? "" : ` until ${expiresAt}`;
  return actionOn(operator, `grants ${consumer.name} ${amountsText(given)} as ${name}${until}`, (host) =>
    apply(host, { plane: consumer.plane, type: grantsType }, grantOf(consumer, name, given, expiresAt)),
  );
}

export function applyPolicy(name: PolicyName, counted: CountedType, variant: PolicyVariant): Action {
  return actionOn(operator, `applies policy ${name} ${JSON.stringify(variant)}`, (host) =>
    apply(host, { plane: planeOfPolicy(name), type: claimPoliciesType }, policyOf(name, counted, variant)),
  );
}

/** The resource type that a policy counts. */
export function countedBy({ topology }: ActorContext, name: PolicyName): CountedType {
  const typeName = name.startsWith("hooks") ? "hooks" : name;
  return topology.counted.find((counted) => shortName(counted) === typeName) as CountedType;
}

function planeOfPolicy(name: PolicyName): string {
  return name.startsWith("hooks") ? name.replace("hooks", "project") : root;
}

/** Creates, raises or lowers a grant, some with an expiry. */
export const changeGrant: ActionDraw = (context) => {
  const { random } = context;
  const consumer = drawConsumer(context);
  const counted = random.pick(countedFor(context.topology, consumer));
  const name = `${consumer.name}-${shortName(counted)}-${random.between(1, 2)}`;
  const given = [{ ...drawAmount(context, counted, counted.capacity), amount: random.between(0, counted.capacity) }];
  // A machine notices late that its slow clock was corrected, so grants must expire well before the world settles.
  const endMs = startMs + random.between(1, 40) * 1_000;
  return grant(consumer, name, given, random.chance(0.2) ? new Date(endMs).toISOString() : undefined);
};

export const deleteGrant: ActionDraw = (context) => {
  const { random } = context;
  const consumer = drawConsumer(context);
  const name = `${consumer.name}-${shortName(random.pick(countedFor(context.topology, consumer)))}-${random.between(1, 2)}`;
  return actionOn(operator, `deletes grant ${name}`, (host) =>
    remove(host, { plane: consumer.plane, type: grantsType }, grantOf(consumer, name, [])),
  );
};

export const deleteRegistration: ActionDraw = ({ topology, random }) => {
  const counted = random.pick(topology.counted);
  return actionOn(operator, `deletes the registration of ${counted.resourceType}`, (host) =>
    remove(host, { plane: root, type: registrationsType }, registrationOf(counted, shortName(counted))),
  );
};

/** Registers a type again, after a deletion, as an update, or as a duplicate under another name. */
export const registerAgain: ActionDraw = ({ topology, random }) => {
  const counted = random.pick(topology.counted);
  return register(counted, random.chance(0.3) ? `${shortName(counted)}-again` : shortName(counted));
};

/** Removes the claiming kind of a type, until it is registered again. */
export const narrowRegistration: ActionDraw = ({ topology, random }) => {
  const counted = random.pick(topology.counted);
  const narrowed = registrationOf({ ...counted, claimedBy: { apiGroup: "", kind: "Secret" } }, shortName(counted));
  return actionOn(operator, `restricts claims of ${counted.resourceType} to Secrets`, (host) =>
    apply(host, { plane: root, type: registrationsType }, narrowed),
  );
};

/** Deletes a ledger bucket by mistake. Its finalizer keeps it while it is needed. */
export const deleteBucket: ActionDraw = (context) => {
  const { random } = context;
  const { plane } = drawConsumer(context);
  const at = random.fraction();
  return actionOn(operator, `deletes a bucket in ${plane}`, async (host) => {
    const client = clientOf(host, plane, bucketsType);
    const { items } = await client.list({}, signal);
    const ledgerBuckets = items.filter((bucket) => Object.keys(textsAt(bucket, "spec", "dimensions")).length === 0);
    const found = ledgerBuckets[Math.floor(at * ledgerBuckets.length)];
    if (found === undefined) return;
    const { namespace = "", name = "" } = metadataOf(found);
    await client.delete({ namespace, name }, {}, signal);
  });
};

export const changePolicy: ActionDraw = (context) => {
  const { topology, random } = context;
  if (topology.policies.length === 0) return undefined;
  const name = random.pick(topology.policies);
  const variant = random.pick<PolicyVariant>([{}, { disabled: true }, { existingObjects: "Adopt" }, { amount: 2 }]);
  return applyPolicy(name, countedBy(context, name), variant);
};

export const deletePolicy: ActionDraw = (context) => {
  const { topology, random } = context;
  if (topology.policies.length === 0) return undefined;
  const name = random.pick(topology.policies);
  return actionOn(operator, `deletes policy ${name}`, (host) =>
    remove(host, { plane: planeOfPolicy(name), type: claimPoliciesType }, policyOf(name, countedBy(context, name), {})),
  );
};
