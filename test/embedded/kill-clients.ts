import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { expect } from "vitest";
import { pick } from "../apiserver/random-writes.ts";
import type { Body } from "../apiserver/test-server.ts";
import type { ApiClient } from "./api-client.ts";
import { limit, type QuotaScope, sized } from "./kill-scopes.ts";

/** State of an object by the responses of the server; unknown without a response. */
type ObjectState = "stored" | "absent" | "unknown";

interface TrackedObject {
  readonly scope: QuotaScope;
  readonly name: string;
  readonly size: number;
  state: ObjectState;
  /** Whether a request for it is in flight. */
  isBusy: boolean;
}

/** Clients that create and delete objects and record the responses. */
export class KillClients {
  readonly answers = { admitted: 0, rejected: 0, deleted: 0, unanswered: 0, later: 0 };
  readonly #objects: TrackedObject[] = [];
  #awaited = { count: 0, come: (): void => undefined };
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Creates and deletes objects until the server is killed. */
  async churn(client: ApiClient, scope: QuotaScope): Promise<void> {
    try {
      for (;;) await this.#act(client, scope);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }

  /** Creates objects until one is rejected, so that the first round already starts at the limit. */
  async fill(client: ApiClient, scope: QuotaScope): Promise<void> {
    const { rejected } = this.answers;
    while (this.answers.rejected === rejected) await this.#create(client, this.#plan(scope));
  }

  /** Resolves after this many more responses. */
  answered(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count, come: resolve };
    });
  }

  /** Checks the limit repeatedly until the server is killed. */
  async checkLimits(client: ApiClient, scopes: readonly QuotaScope[]): Promise<void> {
    try {
      for (;;) for (const scope of scopes) expectWithinLimit((await client.get(scope.objects)).body.items, scope);
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }

  /** Compares the stored objects with the responses, and resolves unknown states. */
  compare(scope: QuotaScope, objects: readonly Body[]): void {
    const names = new Set(objects.map(({ metadata }) => metadata.name as string));
    const own = this.#objects.filter((known) => known.scope === scope);
    expect(
      own.filter(({ name, state }) => state === "stored" && !names.has(name)).map(({ name }) => name),
      `admitted in ${scope.name} but missing`,
    ).toEqual([]);
    expect(
      own.filter(({ name, state }) => state === "absent" && names.has(name)).map(({ name }) => name),
      `rejected or deleted in ${scope.name} but stored`,
    ).toEqual([]);
    // Leaves some states unknown, so that clients retry unanswered requests.
    for (const known of own) if (known.state === "unknown" && names.has(known.name)) known.state = "stored";
  }

  async #act(client: ApiClient, scope: QuotaScope): Promise<void> {
    const free = this.#objects.filter((known) => known.scope === scope && !known.isBusy);
    const there = free.filter(({ state }) => state === "stored");
    const open = free.filter(({ state }) => state === "unknown");
    const chance = this.#random();
    if (there.length > 3 && chance < 0.4) return this.#remove(client, pick(this.#random, there));
    if (open.length > 0 && chance < 0.6) return this.#create(client, pick(this.#random, open));
    return this.#create(client, this.#plan(scope));
  }

  #plan(scope: QuotaScope): TrackedObject {
    const size = 1 + Math.floor(this.#random() * 3);
    const planned: TrackedObject = {
      scope,
      name: `object-${this.#objects.length}`,
      size,
      state: "absent",
      isBusy: false,
    };
    this.#objects.push(planned);
    return planned;
  }

  #create(client: ApiClient, known: TrackedObject): Promise<void> {
    return this.#track(known, async () => {
      const { code, text, body } = await client.create(known.scope.objects, sized(known.name, known.size));
      if (code === 201 || code === 409) {
        known.state = "stored";
        this.answers.admitted += code === 201 ? 1 : 0;
        return;
      }
      expect([403, 503], text).toContain(code);
      if (code === 403) expect(body.details.causes[0].reason, text).toBe("QuotaExceeded");
      known.state = "absent";
      this.answers[code === 403 ? "rejected" : "later"] += 1;
    });
  }

  #remove(client: ApiClient, known: TrackedObject): Promise<void> {
    return this.#track(known, async () => {
      const { code, text } = await client.remove(`${known.scope.objects}/${known.name}`);
      expect(code, text).toBe(200);
      known.state = "absent";
      this.answers.deleted += 1;
    });
  }

  async #track(known: TrackedObject, work: () => Promise<void>): Promise<void> {
    known.isBusy = true;
    known.state = "unknown";
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

export function expectWithinLimit(objects: readonly Body[], { name }: QuotaScope): number {
  const used = objects.reduce((sum, object) => sum + sizeOf(object), 0);
  expect(used, `usage in ${name}`).toBeLessThanOrEqual(limit);
  return used;
}
