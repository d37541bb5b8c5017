import { expect, it } from "vitest";
import type { ClaimRecord } from "../../../src/controllers/views/claim-record.ts";
import { Desk } from "../../../src/controllers/writer/desk.ts";
import type { DeskPage } from "../../../src/controllers/writer/desk-page.ts";
import { recoverAll } from "../../../src/controllers/writer/recovery.ts";
import { noPage } from "../../../src/core/ledger/page.ts";
import { adoptPage } from "../../../src/core/ledger/rewrite.ts";
import { parseResourceClaim } from "../../../src/core/resources/resource-claim.ts";
import { claim } from "./claims.ts";

const key = {
  plane: "root",
  consumer: { apiGroup: "resourcemanager.miloapis.com", kind: "Organization", namespace: "", name: "acme" },
};
const types = ["cpu", "disk"];
const [uid, place] = ["u1", { plane: "root", namespace: "default", name: "both" }];
const { signal } = new AbortController();
let versions = 0;

/** A page that promises these sets to the claim. */
function page(resourceType: string, ...sets: readonly string[]): DeskPage {
  versions += 1;
  const empty = noPage(resourceType);
  const reservations = sets.map((set) => ({
    claim: { uid, namespace: place.namespace, name: place.name },
    amount: 1n as never,
    dimensionKey: "",
    set,
    forced: false,
    expirationTime: "",
  }));
  const content = { ...empty.content, reservations };
  const stored = { ...empty, version: `${versions}`, content };
  return { page: stored, uid: resourceType, generation: 1, conditions: [], finalizers: [], deleting: false };
}

/** A desk with a claim for both, of which the page of cpu alone has a promise. */
function deskWithHalfPromise(set: string): Desk {
  const desk = new Desk(key);
  const manifest = claim(place.name, ...types.map((resourceType) => ({ resourceType, dimensionKey: "" })));
  const parsed = parseResourceClaim({
    ...manifest,
    metadata: { ...place, plane: undefined, uid, resourceVersion: "1" },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const record = { uid, version: "1", consumer: key.consumer, state: "pending", deleting: false, parts: [] };
  desk.observe(place, { ...record, open: parsed.value, automatic: undefined } as ClaimRecord);
  read(desk, page("cpu", set), page("disk"));
  desk.isCounted = true;
  return desk;
}

function read(desk: Desk, ...pages: readonly DeskPage[]): void {
  for (const each of pages) {
    desk.putPage(each.page.resourceType, each);
    adoptPage(desk.ledger, each.page, "complete");
  }
}

/** Returns the sets that were given up, and the pages that were fenced for it. */
async function recovered(desk: Desk): Promise<readonly [dropped: readonly string[], fenced: readonly string[]]> {
  const fenced: string[] = [];
  const hands = {
    ports: { pages: { read: async (_: unknown, type: string) => desk.pages.get(type) }, told: {} },
    answers: {},
    failures: {},
    writes: {
      fence: async (type: string) => {
        fenced.push(type);
        const sets = desk.pages.get(type)?.page.content.reservations.map(({ set }) => set) ?? [];
        desk.wrotePage(type, page(type, ...sets));
      },
    },
  };
  const dropped = await recoverAll(desk, hands as never, signal);
  return [[...dropped], fenced];
}

it("a half promise is given up once all pages of its claim were written after it", async () => {
  const desk = deskWithHalfPromise("theirs");
  expect(await recovered(desk)).toEqual([["theirs"], types]);
});

it("half a promise of our own after that is given up no sooner: what we sent may still arrive", async () => {
  const desk = deskWithHalfPromise("theirs");
  await recovered(desk);
  desk.wrotePage("cpu", page("cpu", "ours"));
  adoptPage(desk.ledger, (desk.pages.get("cpu") as DeskPage).page, "complete");
  expect(await recovered(desk)).toEqual([["ours"], types]);
});
