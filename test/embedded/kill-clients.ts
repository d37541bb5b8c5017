import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { expect } from "vitest";
import { pick } from "../apiserver/random-writes.ts";
import type { Body } from "../apiserver/test-server.ts";
import type { FrontDoor } from "./front-door.ts";
import { limit, type Place, sized } from "./kill-places.ts";

/** What is known of an object: an answer that did not come leaves it open. */
type Fate = "there" | "gone" | "open";

interface Known {
  readonly place: Place;
  readonly name: string;
  readonly size: number;
  fate: Fate;
  /** Somebody is at it. */
  isBusy: boolean;
}

/** Clients that make and delete objects, and remember what they were told. */
export class KillClients {
  readonly answers = { admitted: 0, rejected: 0, deleted: 0, unanswered: 0, later: 0 };
  readonly #known: Known[] = [];
  #awaited = { count: 0, come: (): void => undefined };
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Makes and deletes objects until the server is gone. */
  async churn(door: FrontDoor, place: Place): Promise<void> {
    try {
      for (;;) await this.#act(door, place);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }

  /** Creates objects until one is rejected, so that the first round already starts at the limit. */
  async fill(door: FrontDoor, place: Place): Promise<void> {
    const { rejected } = this.answers;
    while (this.answers.rejected === rejected) await this.#create(door, this.#plan(place));
  }

  /** Resolves when so many more answers have come. */
  answered(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count, come: resolve };
    });
  }

  /** Never more than was granted, whenever somebody looks. */
  async look(door: FrontDoor, places: readonly Place[]): Promise<void> {
    try {
      for (;;) for (const place of places) expectWithinLimit((await door.get(place.objects)).body.items, place);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }

  /** Compares what there is with what was told, and learns what was left open. */
  compare(place: Place, objects: readonly Body[]): void {
    const names = new Set(objects.map(({ metadata }) => metadata.name as string));
    const own = this.#known.filter((known) => known.place === place);
    expect(
      own.filter(({ name, fate }) => fate === "there" && !names.has(name)).map(({ name }) => name),
      `admitted in ${place.name}, and lost`,
    ).toEqual([]);
    expect(
      own.filter(({ name, fate }) => fate === "gone" && names.has(name)).map(({ name }) => name),
      `rejected or deleted in ${place.name}, and there`,
    ).toEqual([]);
    // Some are left open on purpose: what was not answered is asked for again, as clients do.
    for (const known of own) if (known.fate === "open" && names.has(known.name)) known.fate = "there";
  }

  async #act(door: FrontDoor, place: Place): Promise<void> {
    const free = this.#known.filter((known) => known.place === place && !known.isBusy);
    const there = free.filter(({ fate }) => fate === "there");
    const open = free.filter(({ fate }) => fate === "open");
    const chance = this.#random();
    if (there.length > 3 && chance < 0.4) return this.#remove(door, pick(this.#random, there));
    if (open.length > 0 && chance < 0.6) return this.#create(door, pick(this.#random, open));
    return this.#create(door, this.#plan(place));
  }

  #plan(place: Place): Known {
    const size = 1 + Math.floor(this.#random() * 3);
    const planned: Known = { place, name: `object-${this.#known.length}`, size, fate: "gone", isBusy: false };
    this.#known.push(planned);
    return planned;
  }

  #create(door: FrontDoor, known: Known): Promise<void> {
    return this.#ask(known, async () => {
      const { code, text, body } = await door.create(known.place.objects, sized(known.name, known.size));
      if (code === 201 || code === 409) {
        known.fate = "there";
        this.answers.admitted += code === 201 ? 1 : 0;
        return;
      }
      expect([403, 503], text).toContain(code);
      if (code === 403) expect(body.details.causes[0].reason, text).toBe("QuotaExceeded");
      known.fate = "gone";
      this.answers[code === 403 ? "rejected" : "later"] += 1;
    });
  }

  #remove(door: FrontDoor, known: Known): Promise<void> {
    return this.#ask(known, async () => {
      const { code, text } = await door.remove(`${known.place.objects}/${known.name}`);
      expect(code, text).toBe(200);
      known.fate = "gone";
      this.answers.deleted += 1;
    });
  }

  async #ask(known: Known, work: () => Promise<void>): Promise<void> {
    known.isBusy = true;
    known.fate = "open";
    try {
      await work();
      this.#awaited.count -= 1;
      if (this.#awaited.count <= 0) this.#awaited.come();
    } catch (error) {
      if (error instanceof ConnectionFailed) this.answers.unanswered += 1;
      throw error;
    } finally {
      known.isBusy = false;
    }
  }
}

export const sizeOf = ({ metadata }: Body): number => Number(metadata.labels?.size ?? 0);

export function expectWithinLimit(objects: readonly Body[], { name }: Place): number {
  const used = objects.reduce((sum, object) => sum + sizeOf(object), 0);
  expect(used, `what there is in ${name}`).toBeLessThanOrEqual(limit);
  return used;
}
