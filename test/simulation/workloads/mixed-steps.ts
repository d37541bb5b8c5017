import {
  type Action,
  type ActionDraw,
  type ActorContext,
  countedFor,
  drawAmount,
  shortName,
} from "../actors/action.ts";
import { changeBonus, giveBonus, offerBonus, takeBonus } from "../actors/bonus-actions.ts";
import {
  createBypassingAdmission,
  createObject,
  createSixTimes,
  deleteObject,
  finalizeObject,
  replaceObject,
  resizeObject,
  unlabelObject,
} from "../actors/object-actions.ts";
import {
  applyPolicy,
  changeGrant,
  changePolicy,
  countedBy,
  deleteBucket,
  deleteGrant,
  deletePolicy,
  deleteRegistration,
  grant,
  narrowRegistration,
  register,
  registerAgain,
} from "../actors/operator-actions.ts";
import { claim, claimBurst, crashClient, deleteAutomaticClaim, release } from "../actors/service-actions.ts";
import type { Step } from "../world/world.ts";

/** All actions with their relative frequencies. */
const draws: readonly (readonly [weight: number, draw: ActionDraw])[] = [
  [6, claimBurst],
  [8, claim],
  [4, release],
  [10, createObject],
  [3, createSixTimes],
  [4, deleteObject],
  [3, replaceObject],
  [1, finalizeObject],
  [1, unlabelObject],
  [2, resizeObject],
  [2, createBypassingAdmission],
  [1, deleteAutomaticClaim],
  [2, crashClient],
  [3, changeGrant],
  [1, deleteGrant],
  [0.5, deleteRegistration],
  [1, registerAgain],
  [0.3, narrowRegistration],
  [0.5, deleteBucket],
  [1, changePolicy],
  [0.5, deletePolicy],
  [3, giveBonus],
  [1, takeBonus],
  [0.5, changeBonus],
];

/** Draws the steps of a workload, in no order. Registrations, grants and policies mostly come before their use, but not always. */
export function drawSteps(
  context: ActorContext,
  size: { readonly stepCount: number; readonly lengthMs: number },
): readonly Step[] {
  const { random } = context;
  const readyMs = Math.min(size.lengthMs / 4, 5_000);
  const setup = setupActions(context).map((action) => ({
    ...action,
    atMs: random.chance(0.85) ? random.between(0, Math.floor(readyMs)) : random.between(0, size.lengthMs),
  }));
  const others = Array.from({ length: size.stepCount }, () => drawAction(context)).map((action) => ({
    ...action,
    atMs: random.between(random.chance(0.9) ? Math.floor(readyMs) : 0, size.lengthMs),
  }));
  return [...setup, ...others];
}

function setupActions(context: ActorContext): readonly Action[] {
  const { topology, random } = context;
  const grants = topology.consumers.flatMap((consumer) =>
    countedFor(topology, consumer).flatMap((counted) =>
      [1, 2].slice(0, random.pick([1, 1, 2])).map((at) => {
        const name = `${consumer.name}-${shortName(counted)}-${at}`;
        return grant(consumer, name, [drawAmount(context, counted, counted.capacity)]);
      }),
    ),
  );
  return [
    ...topology.counted.map((counted) => register(counted)),
    ...grants,
    ...topology.policies.map((name) => applyPolicy(name, countedBy(context, name), {})),
    ...offerBonus(context),
  ];
}

function drawAction(context: ActorContext): Action {
  const total = draws.reduce((sum, [weight]) => sum + weight, 0);
  for (;;) {
    let left = context.random.fraction() * total;
    const drawn = draws.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    const action = drawn?.[1](context);
    if (action !== undefined) return action;
  }
}
