import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import { textAt } from "../invariants/json-fields.ts";
import {
  type ActionDraw,
  type ActorContext,
  actionOn,
  amountsText,
  countedFor,
  drawAmount,
  drawConsumer,
} from "./action.ts";
import { clientOf, failureReason, signal } from "./clients.ts";
import { claimOf, type TypeAmount } from "./manifests.ts";
import { metadataOf } from "./operator-calls.ts";
import { releaseClaim, useClaim } from "./service-calls.ts";
import type { Consumer } from "./topology.ts";

const services = ["service-1", "service-2"] as const;
const names = ["s1", "s2", "s3", "s4"] as const;

/** Requests for one or several types of a consumer. A type with places may occur twice. */
function drawRequests(context: ActorContext, consumer: Consumer): readonly TypeAmount[] {
  const { random, topology } = context;
  const types = random.shuffled(countedFor(topology, consumer)).slice(0, random.pick([1, 1, 2, 3]));
  const wanted = types.flatMap((counted) =>
    counted.places.length > 0 && random.chance(0.3)
      ? counted.places.map((place) => ({ counted, amount: 1, place }))
      : [drawAmount(context, counted, Math.max(1, Math.ceil(counted.capacity / 2)))],
  );
  return wanted;
}

export const claim: ActionDraw = (context) => {
  const { random, history } = context;
  const consumer = drawConsumer(context);
  const wanted = drawRequests(context, consumer);
  const name = random.pick(names);
  const holdMs = random.chance(0.6) ? random.between(0, 5_000) : undefined;
  const hasFinalizer = random.chance(0.15);
  const duration = holdMs === undefined ? "for good" : `for ${holdMs} ms`;
  return actionOn(
    random.pick(services),
    `claims ${amountsText(wanted)} of ${consumer.name} as ${name} ${duration}`,
    (host) =>
      useClaim(host, { plane: consumer.plane, claim: claimOf(consumer, name, wanted, hasFinalizer), holdMs }, history),
  );
};

/** Many concurrent claims for one unit each. */
export const claimBurst: ActionDraw = (context) => {
  const { random, topology, history } = context;
  const consumer = drawConsumer(context);
  const counted = random.pick(countedFor(topology, consumer));
  const wanted = [drawAmount(context, counted, 1)];
  // Rarely more than the 128 reservations that a bucket can hold.
  const count = random.chance(0.02) ? random.between(130, 160) : random.between(2, 9);
  const prefix = `b${random.between(0, 99_999)}`;
  const holdMs = random.chance(0.8) ? random.between(0, 8_000) : undefined;
  return actionOn(
    random.pick(services),
    `claims ${count} times ${amountsText(wanted)} of ${consumer.name} as ${prefix}`,
    async (host) => {
      const claims = Array.from({ length: count }, (_, at) => claimOf(consumer, `${prefix}-${at}`, wanted));
      const uses = claims.map((each) => useClaim(host, { plane: consumer.plane, claim: each, holdMs }, history));
      for (const { reason } of (await Promise.allSettled(uses)).filter((use) => use.status === "rejected"))
        failureReason(reason);
    },
  );
};

export const release: ActionDraw = (context) => {
  const { random, history } = context;
  const consumer = drawConsumer(context);
  const name = random.pick(names);
  return actionOn(random.pick(services), `releases ${name} of ${consumer.plane}`, (host) =>
    releaseClaim(host, { plane: consumer.plane, claim: claimOf(consumer, name, []), holdMs: undefined }, history),
  );
};

/** Deletes an automatic claim by mistake. */
export const deleteAutomaticClaim: ActionDraw = (context) => {
  const { random, history } = context;
  const { plane } = drawConsumer(context);
  const at = random.fraction();
  return actionOn("operator", `deletes an automatic claim in ${plane}`, async (host) => {
    const client = clientOf(host, plane, claimsType);
    const { items } = await client.list({ labelSelector: "quota.miloapis.com/auto-created=true" }, signal);
    const found = items[Math.floor(at * items.length)];
    if (found === undefined) return;
    const { namespace = "", name = "", uid = "" } = metadataOf(found);
    if (textAt(found, "metadata", "annotations", "quota.miloapis.com/bound") === "") return;
    history.claimDeletedByActor(uid);
    await client.delete({ namespace, name }, { uid }, signal);
  });
};

/** A client crashes in the middle of its work and restarts later. */
export const crashClient: ActionDraw = ({ random }) => {
  const machine = random.pick([...services, "client-1", "client-2"]);
  const restartMs = random.between(10, 5_000);
  return { what: `${machine} crashes for ${restartMs} ms`, take: (world) => world.machine(machine).crash(restartMs) };
};
