import { grantPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { secrets } from "./clients.ts";
import { bonusPolicyOf, secretOf } from "./manifests.ts";
import { apply, remove } from "./operator.ts";
import { type Action, type ActionDraw, on, type Stage } from "./stage.ts";
import type { Counted } from "./tiny-world.ts";

const names = ["gift", "prize"] as const;
const policies = { plane: "root", type: grantPoliciesType };

/** Organizations get more of this. */
function bonusType({ tiny }: Stage): Counted | undefined {
  return tiny.hasBonus ? tiny.counted.find(({ consumerKind }) => consumerKind === "Organization") : undefined;
}

export function offerBonus(stage: Stage): readonly Action[] {
  const counted = bonusType(stage);
  if (counted === undefined) return [];
  return [on("operator", "offers a bonus", (host) => apply(host, policies, bonusPolicyOf(counted, {})))];
}

/** A Secret comes, names another organization, or is worth more or less by now. */
export const giveBonus: ActionDraw = (stage) => {
  const { tiny, random } = stage;
  if (!tiny.hasBonus) return undefined;
  const organizations = tiny.consumers.filter(({ kind }) => kind === "Organization");
  const projects = tiny.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const labels = { org: random.pick(organizations).name, bonus: String(random.between(0, 2)) };
  const [name, plane] = [random.pick(names), random.pick(["root", ...projects])];
  const made = secretOf(name, random.chance(0.85) ? labels : { bonus: "1" });
  const text = Object.values(made.metadata.labels ?? {}).join(" ");
  return on("client-1", `makes Secret ${plane}/${name} (${text})`, (host) =>
    apply(host, { plane, type: secrets }, made),
  );
};

export const takeBonus: ActionDraw = ({ tiny, random }) => {
  if (!tiny.hasBonus) return undefined;
  const projects = tiny.consumers.filter(({ kind }) => kind === "Project").map(({ plane }) => plane);
  const [name, plane] = [random.pick(names), random.pick(["root", ...projects])];
  return on("client-1", `deletes Secret ${plane}/${name}`, (host) =>
    remove(host, { plane, type: secrets }, secretOf(name, {})),
  );
};

export const changeBonus: ActionDraw = (stage) => {
  const counted = bonusType(stage);
  if (counted === undefined) return undefined;
  const turn = stage.random.pick(["delete", {}, { disabled: true }, { amount: 2 }] as const);
  if (turn === "delete")
    return on("operator", "ends the bonus", (host) => remove(host, policies, bonusPolicyOf(counted, {})));
  return on("operator", `changes the bonus ${JSON.stringify(turn)}`, (host) =>
    apply(host, policies, bonusPolicyOf(counted, turn)),
  );
};
