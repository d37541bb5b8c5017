import { grantPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { type Action, type ActionDraw, type ActorContext, actionOn } from "./action.ts";
import { secrets } from "./clients.ts";
import { bonusPolicyOf, secretOf } from "./manifests.ts";
import { apply, remove } from "./operator-calls.ts";
import type { CountedType } from "./topology.ts";

const names = ["gift", "prize"] as const;
const policies = { plane: "root", type: grantPoliciesType };

/** The resource type that the bonus policy grants to organizations. */
function bonusType({ topology }: ActorContext): CountedType | undefined {
  return topology.hasBonus ? topology.counted.find(({ consumerKind }) => consumerKind === "Organization") : undefined;
}

export function offerBonus(context: ActorContext): readonly Action[] {
  const counted = bonusType(context);
  if (counted === undefined) return [];
  return [
    actionOn("operator", "creates the bonus policy", (host) => apply(host, policies, bonusPolicyOf(counted, {}))),
  ];
}

/** Creates a Secret, or changes its organization or amount. */
export const giveBonus: ActionDraw = (context) => {
  const { topology, random } = context;
  if (!topology.hasBonus) return undefined;
  const organizations = topology.consumers.filter(({ kind }) => kind === "Organization");
  const projects = topology.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const labels = { org: random.pick(organizations).name, bonus: String(random.between(0, 2)) };
  const [name, plane] = [random.pick(names), random.pick(["root", ...projects])];
  const secret = secretOf(name, random.chance(0.85) ? labels : { bonus: "1" });
  const text = Object.values(secret.metadata.labels ?? {}).join(" ");
  return actionOn("client-1", `applies Secret ${plane}/${name} (${text})`, (host) =>
    apply(host, { plane, type: secrets }, secret),
  );
};

export const takeBonus: ActionDraw = ({ topology, random }) => {
  if (!topology.hasBonus) return undefined;
  const projects = topology.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const [name, plane] = [random.pick(names), random.pick(["root", ...projects])];
  return actionOn("client-1", `deletes Secret ${plane}/${name}`, (host) =>
    remove(host, { plane, type: secrets }, secretOf(name, {})),
  );
};

export const changeBonus: ActionDraw = (context) => {
  const counted = bonusType(context);
  if (counted === undefined) return undefined;
  const variant = context.random.pick(["delete", {}, { disabled: true }, { amount: 2 }] as const);
  if (variant === "delete")
    return actionOn("operator", "deletes the bonus policy", (host) =>
      remove(host, policies, bonusPolicyOf(counted, {})),
    );
  return actionOn("operator", `changes the bonus policy to ${JSON.stringify(variant)}`, (host) =>
    apply(host, policies, bonusPolicyOf(counted, variant)),
  );
};
