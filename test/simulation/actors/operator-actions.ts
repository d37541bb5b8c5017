import { bucketsType, claimPoliciesType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { textsAt } from "../invariants/json-fields.ts";
import { startMs } from "../world/prepared-records.ts";
import { clientOf, signal } from "./clients.ts";
import { grantOf, type PolicyTurn, policyOf, registrationOf, type Wanted } from "./manifests.ts";
import { apply, metadataOf, remove } from "./operator.ts";
import {
  type Action,
  type ActionDraw,
  countedFor,
  drawConsumer,
  drawWanted,
  on,
  type Stage,
  tailOf,
  wantedText,
} from "./stage.ts";
import type { Consumer, Counted, PolicyName } from "./tiny-world.ts";

const operator = "operator";
const root = "root";

export function register(counted: Counted, name = tailOf(counted)): Action {
  return on(operator, `registers ${counted.resourceType} as ${name}`, (host) =>
    apply(host, { plane: root, type: registrationsType }, registrationOf(counted, name)),
  );
}

export function grant(consumer: Consumer, name: string, given: readonly Wanted[], expiresAt?: string): Action {
  const until = expiresAt === undefined ? "" : ` until ${expiresAt}`;
  return on(operator, `grants ${consumer.name} ${wantedText(given)} as ${name}${until}`, (host) =>
    apply(host, { plane: consumer.plane, type: grantsType }, grantOf(consumer, name, given, expiresAt)),
  );
}

export function enforce(name: PolicyName, counted: Counted, turn: PolicyTurn): Action {
  return on(operator, `makes policy ${name} ${JSON.stringify(turn)}`, (host) =>
    apply(host, { plane: planeOfPolicy(name), type: claimPoliciesType }, policyOf(name, counted, turn)),
  );
}

/** What a policy is about. */
export function countedBy({ tiny }: Stage, name: PolicyName): Counted {
  const tail = name.startsWith("hooks") ? "hooks" : name;
  return tiny.counted.find((counted) => tailOf(counted) === tail) as Counted;
}

function planeOfPolicy(name: PolicyName): string {
  return name.startsWith("hooks") ? name.replace("hooks", "project") : root;
}

/** A grant grows, shrinks, comes, or comes to an end some time from the start. */
export const changeGrant: ActionDraw = (stage) => {
  const { random } = stage;
  const consumer = drawConsumer(stage);
  const counted = random.pick(countedFor(stage.tiny, consumer));
  const name = `${consumer.name}-${tailOf(counted)}-${random.between(1, 2)}`;
  const given = [{ ...drawWanted(stage, counted, counted.plenty), amount: random.between(0, counted.plenty) }];
  // A clock that is behind by minutes when it is set right is not heard of at once: it must be over by the time of rest.
  const endMs = startMs + random.between(1, 40) * 1_000;
  return grant(consumer, name, given, random.chance(0.2) ? new Date(endMs).toISOString() : undefined);
};

export const deleteGrant: ActionDraw = (stage) => {
  const { random } = stage;
  const consumer = drawConsumer(stage);
  const name = `${consumer.name}-${tailOf(random.pick(countedFor(stage.tiny, consumer)))}-${random.between(1, 2)}`;
  return on(operator, `deletes grant ${name}`, (host) =>
    remove(host, { plane: consumer.plane, type: grantsType }, grantOf(consumer, name, [])),
  );
};

export const deregister: ActionDraw = ({ tiny, random }) => {
  const counted = random.pick(tiny.counted);
  return on(operator, `removes the registration of ${counted.resourceType}`, (host) =>
    remove(host, { plane: root, type: registrationsType }, registrationOf(counted, tailOf(counted))),
  );
};

/** It may have been removed, or be there; or there is another one of the same by then. */
export const registerAgain: ActionDraw = ({ tiny, random }) => {
  const counted = random.pick(tiny.counted);
  return register(counted, random.chance(0.3) ? `${tailOf(counted)}-again` : tailOf(counted));
};

/** Objects of its kind may not claim it any more, until somebody registers it again. */
export const narrowRegistration: ActionDraw = ({ tiny, random }) => {
  const counted = random.pick(tiny.counted);
  const narrowed = registrationOf({ ...counted, claimedBy: { apiGroup: "", kind: "Secret" } }, tailOf(counted));
  return on(operator, `lets nothing but secrets claim ${counted.resourceType}`, (host) =>
    apply(host, { plane: root, type: registrationsType }, narrowed),
  );
};

/** Somebody tidies up where they should not: deletes a page, which stays while it is needed. */
export const deletePage: ActionDraw = (stage) => {
  const { random } = stage;
  const { plane } = drawConsumer(stage);
  const at = random.fraction();
  return on(operator, `deletes a bucket in ${plane}`, async (host) => {
    const client = clientOf(host, plane, bucketsType);
    const { items } = await client.list({}, signal);
    const pages = items.filter((bucket) => Object.keys(textsAt(bucket, "spec", "dimensions")).length === 0);
    const found = pages[Math.floor(at * pages.length)];
    if (found === undefined) return;
    const { namespace = "", name = "" } = metadataOf(found);
    await client.delete({ namespace, name }, {}, signal);
  });
};

export const changePolicy: ActionDraw = (stage) => {
  const { tiny, random } = stage;
  if (tiny.policies.length === 0) return undefined;
  const name = random.pick(tiny.policies);
  const turn = random.pick<PolicyTurn>([{}, { disabled: true }, { existingObjects: "Adopt" }, { amount: 2 }]);
  return enforce(name, countedBy(stage, name), turn);
};

export const deletePolicy: ActionDraw = (stage) => {
  const { tiny, random } = stage;
  if (tiny.policies.length === 0) return undefined;
  const name = random.pick(tiny.policies);
  return on(operator, `deletes policy ${name}`, (host) =>
    remove(host, { plane: planeOfPolicy(name), type: claimPoliciesType }, policyOf(name, countedBy(stage, name), {})),
  );
};
