import type { Step } from "../world/world.ts";
import { changeBonus, giveBonus, offerBonus, takeBonus } from "./bonus-actions.ts";
import {
  bypass,
  createObject,
  createSixTimes,
  destroyObject,
  letObjectGo,
  replaceObject,
  resizeObject,
  unlabelObject,
} from "./object-actions.ts";
import {
  changeGrant,
  changePolicy,
  countedBy,
  deleteGrant,
  deletePage,
  deletePolicy,
  deregister,
  enforce,
  grant,
  narrowRegistration,
  register,
  registerAgain,
} from "./operator-actions.ts";
import { burst, claim, meddle, release, vanish } from "./service-actions.ts";
import { type Action, type ActionDraw, countedFor, drawWanted, type Stage, tailOf } from "./stage.ts";

/** What may happen, and how often in comparison. */
const draws: readonly (readonly [weight: number, draw: ActionDraw])[] = [
  [6, burst],
  [8, claim],
  [4, release],
  [10, createObject],
  [3, createSixTimes],
  [4, destroyObject],
  [3, replaceObject],
  [1, letObjectGo],
  [1, unlabelObject],
  [2, resizeObject],
  [2, bypass],
  [1, meddle],
  [2, vanish],
  [3, changeGrant],
  [1, deleteGrant],
  [0.5, deregister],
  [1, registerAgain],
  [0.3, narrowRegistration],
  [0.5, deletePage],
  [1, changePolicy],
  [0.5, deletePolicy],
  [3, giveBonus],
  [1, takeBonus],
  [0.5, changeBonus],
];

/** Everything that happens in a world, in no order: it is made ready first, most of the time, and then used. */
export function writeScript(
  stage: Stage,
  size: { readonly stepCount: number; readonly lengthMs: number },
): readonly Step[] {
  const { random } = stage;
  const readyMs = Math.min(size.lengthMs / 4, 5_000);
  const prepared = preparations(stage).map((action) => ({
    ...action,
    atMs: random.chance(0.85) ? random.between(0, Math.floor(readyMs)) : random.between(0, size.lengthMs),
  }));
  const others = Array.from({ length: size.stepCount }, () => drawAction(stage)).map((action) => ({
    ...action,
    atMs: random.between(random.chance(0.9) ? Math.floor(readyMs) : 0, size.lengthMs),
  }));
  return [...prepared, ...others];
}

function preparations(stage: Stage): readonly Action[] {
  const { tiny, random } = stage;
  const grants = tiny.consumers.flatMap((consumer) =>
    countedFor(tiny, consumer).flatMap((counted) =>
      [1, 2].slice(0, random.pick([1, 1, 2])).map((at) => {
        const name = `${consumer.name}-${tailOf(counted)}-${at}`;
        return grant(consumer, name, [drawWanted(stage, counted, counted.plenty)]);
      }),
    ),
  );
  return [
    ...tiny.counted.map((counted) => register(counted)),
    ...grants,
    ...tiny.policies.map((name) => enforce(name, countedBy(stage, name), {})),
    ...offerBonus(stage),
  ];
}

function drawAction(stage: Stage): Action {
  const total = draws.reduce((sum, [weight]) => sum + weight, 0);
  for (;;) {
    let left = stage.random.fraction() * total;
    const drawn = draws.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    const action = drawn?.[1](stage);
    if (action !== undefined) return action;
  }
}
