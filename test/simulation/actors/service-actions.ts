import { claimsType } from "@milo-quota/quota/views/quota-types.ts";
import { textAt } from "../invariants/json-fields.ts";
import { clientOf, reasonOf, signal } from "./clients.ts";
import { claimOf, type Wanted } from "./manifests.ts";
import { metadataOf } from "./operator.ts";
import { giveBack, useClaim } from "./service.ts";
import { type ActionDraw, countedFor, drawConsumer, drawWanted, on, type Stage, wantedText } from "./stage.ts";
import type { Consumer } from "./tiny-world.ts";

const services = ["service-1", "service-2"] as const;
const names = ["s1", "s2", "s3", "s4"] as const;

/** Requests for some of what a consumer can have: one type, or several at once; a type twice where it has places. */
function drawRequests(stage: Stage, consumer: Consumer): readonly Wanted[] {
  const { random, tiny } = stage;
  const types = random.shuffled(countedFor(tiny, consumer)).slice(0, random.pick([1, 1, 2, 3]));
  const wanted = types.flatMap((counted) =>
    counted.places.length > 0 && random.chance(0.3)
      ? counted.places.map((place) => ({ counted, amount: 1, place }))
      : [drawWanted(stage, counted, Math.max(1, Math.ceil(counted.plenty / 2)))],
  );
  return wanted;
}

export const claim: ActionDraw = (stage) => {
  const { random, book } = stage;
  const consumer = drawConsumer(stage);
  const wanted = drawRequests(stage, consumer);
  const name = random.pick(names);
  const keepsMs = random.chance(0.6) ? random.between(0, 5_000) : undefined;
  const isKept = random.chance(0.15);
  const kept = keepsMs === undefined ? "for good" : `for ${keepsMs} ms`;
  return on(random.pick(services), `claims ${wantedText(wanted)} of ${consumer.name} as ${name} ${kept}`, (host) =>
    useClaim(host, { plane: consumer.plane, claim: claimOf(consumer, name, wanted, isKept), keepsMs }, book),
  );
};

/** Many want the same at once, each a little. */
export const burst: ActionDraw = (stage) => {
  const { random, tiny, book } = stage;
  const consumer = drawConsumer(stage);
  const counted = random.pick(countedFor(tiny, consumer));
  const wanted = [drawWanted(stage, counted, 1)];
  // Rarely more than a page has space for.
  const count = random.chance(0.02) ? random.between(130, 160) : random.between(2, 9);
  const prefix = `b${random.between(0, 99_999)}`;
  const keepsMs = random.chance(0.8) ? random.between(0, 8_000) : undefined;
  return on(
    random.pick(services),
    `claims ${count} times ${wantedText(wanted)} of ${consumer.name} as ${prefix}`,
    async (host) => {
      const claims = Array.from({ length: count }, (_, at) => claimOf(consumer, `${prefix}-${at}`, wanted));
      const uses = claims.map((made) => useClaim(host, { plane: consumer.plane, claim: made, keepsMs }, book));
      for (const { reason } of (await Promise.allSettled(uses)).filter((use) => use.status === "rejected"))
        reasonOf(reason);
    },
  );
};

export const release: ActionDraw = (stage) => {
  const { random, book } = stage;
  const consumer = drawConsumer(stage);
  const name = random.pick(names);
  return on(random.pick(services), `gives ${name} of ${consumer.plane} back`, (host) =>
    giveBack(host, { plane: consumer.plane, claim: claimOf(consumer, name, []), keepsMs: undefined }, book),
  );
};

/** Somebody tidies up where they should not: deletes an automatic claim. */
export const meddle: ActionDraw = (stage) => {
  const { random, book } = stage;
  const { plane } = drawConsumer(stage);
  const at = random.fraction();
  return on("operator", `deletes an automatic claim in ${plane}`, async (host) => {
    const client = clientOf(host, plane, claimsType);
    const { items } = await client.list({ labelSelector: "quota.miloapis.com/auto-created=true" }, signal);
    const found = items[Math.floor(at * items.length)];
    if (found === undefined) return;
    const { namespace = "", name = "", uid = "" } = metadataOf(found);
    if (textAt(found, "metadata", "annotations", "quota.miloapis.com/bound") === "") return;
    book.endedByHand(uid);
    await client.delete({ namespace, name }, { uid }, signal);
  });
};

/** A client is gone in the middle of whatever it does, for a while or for good. */
export const vanish: ActionDraw = ({ random }) => {
  const machine = random.pick([...services, "client-1", "client-2"]);
  const backMs = random.between(10, 5_000);
  return { what: `${machine} vanishes for ${backMs} ms`, take: (world) => world.machine(machine).crash(backMs) };
};
