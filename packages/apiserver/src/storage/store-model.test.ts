import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryLog } from "./log/memory-log.ts";
import { LogFull, type LogRecord } from "./log/record-log.ts";
import { compareKeys, keyText } from "./memory/key-order.ts";
import type { ObjectKey, Scope } from "./object-key.ts";
import { type Change, type ObjectStore, RevisionCompacted, StorageUnavailable } from "./object-store.ts";
import { openStore } from "./store.ts";
import type { TransactionResult } from "./transaction.ts";

type Fault = "none" | "slow" | "full" | "lost" | "kept";

/** A disk that fails on demand: full, or dead before (lost) or after (kept) the write. */
class FaultyLog extends MemoryLog {
  faults: Fault[] = [];

  override async append(records: readonly LogRecord[]): Promise<void> {
    const fault = this.faults.shift() ?? "none";
    if (fault === "slow") await new Promise((resolve) => setImmediate(resolve));
    if (fault === "full") throw new LogFull("full");
    if (fault === "lost") throw new Error("lost");
    await super.append(records);
    if (fault === "kept") throw new Error("kept");
  }
}

interface Write {
  readonly key: ObjectKey;
  readonly expected: number;
  readonly deleted: boolean;
  readonly mark: number;
  /** The marks of all writes of its transaction. */
  readonly together: readonly number[];
}

type Knows = "newest" | "older" | "nothing";

const planes = ["a", "b"];
const namespaces = ["", "default", "kube"];
const keys: readonly ObjectKey[] = ["configmaps", "secrets"].flatMap((resource) =>
  planes.flatMap((plane) =>
    namespaces.flatMap((namespace) => ["x", "x-1"].map((name) => ({ plane, resource, namespace, name }))),
  ),
);
const scopes: readonly Scope[] = [undefined, ...planes].flatMap((plane) =>
  [undefined, ...namespaces].map((namespace) => ({
    resource: "configmaps",
    ...(plane === undefined ? {} : { plane }),
    ...(namespace === undefined ? {} : { namespace }),
  })),
);

/** Values that do and do not survive a round trip through text. */
const oddities: readonly object[] = [{}, { gone: undefined }, { amount: 7n }, { amount: 2n ** 60n }, { at: [-0, 0.5] }];

/** Long enough for texts to be compressed. */
const padding = "x".repeat(600);

/** One line for each object or change, equal for the model and the store. */
type Line = string;

/** The expected state, computed from the results of the writes only. */
class Model {
  readonly writes = new Map<number, Write>();

  stateAt(
    revision: number,
  ): Map<string, { readonly key: ObjectKey; readonly revision: number; readonly mark: number }> {
    const state = new Map<string, { key: ObjectKey; revision: number; mark: number }>();
    for (const [at, { key, deleted, mark }] of this.#upTo(revision)) {
      if (deleted) state.delete(keyText(key));
      else state.set(keyText(key), { key, revision: at, mark });
    }
    return state;
  }

  list(scope: Scope, revision: number): Line[] {
    const found = [...this.stateAt(revision).values()].filter(({ key }) => isIn(scope, key));
    found.sort((left, right) => compareKeys(left.key, right.key));
    return found.map(({ key, revision: at, mark }) => `${keyText(key)} ${at} ${mark}`);
  }

  changes(scope: Scope, from: number, to: number): Line[] {
    return this.#upTo(to).flatMap(([at, { key, deleted, mark }]) => {
      if (at <= from || !isIn(scope, key)) return [];
      const previous = this.stateAt(at - 1).get(keyText(key))?.revision;
      const type = deleted ? "deleted" : previous === undefined ? "added" : "modified";
      return [`${type} ${keyText(key)} ${at} ${mark} after ${previous}`];
    });
  }

  /** Checks that every write followed the previous version, and that the last is the latest. */
  check(first: number, last: number): void {
    expect(Math.max(first, ...this.writes.keys())).toBe(last);
    for (const [at, { key, expected }] of this.writes) {
      expect(expected).toBe(this.stateAt(at - 1).get(keyText(key))?.revision ?? 0);
    }
  }

  #upTo(revision: number): [number, Write][] {
    return [...this.writes].filter(([at]) => at <= revision).sort(([a], [b]) => a - b);
  }
}

function isIn(scope: Scope, key: ObjectKey): boolean {
  return (
    scope.resource === key.resource &&
    (scope.plane ?? key.plane) === key.plane &&
    (scope.namespace ?? key.namespace) === key.namespace
  );
}

function objectOf({ key, mark }: Write): JsonObject {
  const odd = oddities[mark % oddities.length];
  return { metadata: { name: key.name }, mark, ...odd, padding };
}

function lineOf({ type, revision, stored, previous }: Change): Line {
  return `${type} ${keyText(stored.key)} ${revision} ${stored.object["mark"]} after ${previous?.revision}`;
}

class World {
  readonly log = new FaultyLog();
  readonly clock = new FakeClock();
  readonly model = new Model();
  store!: ObjectStore;
  #marks = 0;
  readonly #running: Promise<void>[] = [];
  readonly #doubtful = new Map<number, Write>();
  #watches: { readonly scope: Scope; readonly from: number; readonly lines: Line[] }[] = [];

  async open(): Promise<void> {
    const limits = {
      historyCount: 12,
      historyMs: 1_000,
      compactionEveryMs: 100,
      compactionCount: 3,
      batchCount: 4,
      parsedCount: 4,
    };
    this.store = await openStore(this.log, this.clock, { limits });
    this.#watches = [];
  }

  /** Changes several objects at once. */
  write(wanted: readonly (readonly [at: number, knows: Knows, deleted: boolean])[]): void {
    const byKey = new Map(wanted.map((each) => [each[0] % keys.length, each]));
    const first = this.#marks + 1;
    this.#marks += byKey.size;
    const together = Array.from({ length: byKey.size }, (_, index) => first + index);
    const writes = [...byKey].map(([at, [, knows, deleted]], index): Write => {
      const key = keys[at] as ObjectKey;
      const newest = this.store.get(key)?.revision ?? 0;
      const expected = { newest, older: Math.max(0, newest - 1), nothing: 0 }[knows];
      // A missing object cannot be deleted.
      return { key, expected, deleted: deleted && expected > 0, mark: first + index, together };
    });
    this.#running.push(
      this.store.transact(writes.map((write) => ({ ...write, object: objectOf(write) }))).then(
        (result) => this.#answered(writes, result),
        (error) => this.#failed(writes, error),
      ),
    );
  }

  watch(at: number, back: number): void {
    const scope = scopes[at % scopes.length] as Scope;
    const from = Math.max(this.store.oldestRevision, this.store.revision - back);
    const lines: Line[] = [];
    this.store.watch(scope, from, (change) => lines.push(lineOf(change)));
    this.#watches.push({ scope, from, lines });
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running.splice(0));
    this.check();
  }

  async restart(): Promise<void> {
    await this.settle();
    await this.store.close();
    await this.open();
    this.#learnDoubtful();
    this.check();
  }

  check(): void {
    const { store, model } = this;
    model.check(1, store.revision);
    this.#checkTransactions();
    for (const { scope, from, lines } of this.#watches) {
      expect(lines).toEqual(model.changes(scope, from, store.revision));
    }
    for (const scope of scopes) {
      expect(this.#listed(scope)).toEqual(model.list(scope, store.revision));
      expect(store.count(scope)).toBe(model.list(scope, store.revision).length);
    }
    const scope = scopes[this.#marks % scopes.length] as Scope;
    for (let at = store.oldestRevision; at <= store.revision; at += 1) {
      expect(this.#listed(scope, at)).toEqual(model.list(scope, at));
    }
    expect(() => store.list(scope, { at: store.oldestRevision - 1 })).toThrow(RevisionCompacted);
    expect(() => store.watch(scope, store.oldestRevision - 1, () => undefined)).toThrow(RevisionCompacted);
  }

  /** Checks that all writes of a transaction are present with consecutive revisions, or none is, and that its end is known. */
  #checkTransactions(): void {
    const revisions = new Map([...this.model.writes].map(([revision, { mark }]) => [mark, revision]));
    for (const [revision, { mark, together }] of this.model.writes) {
      const begin = revision - together.indexOf(mark);
      expect(together.map((each) => revisions.get(each))).toEqual(together.map((_, index) => begin + index));
      if (revision <= this.store.oldestRevision) continue;
      expect(this.store.wholeRevision(revision)).toBe(begin + together.length - 1);
    }
  }

  #listed(scope: Scope, at?: number): Line[] {
    const listed = this.store.list(scope, at === undefined ? {} : { at });
    return [...listed].map(({ key, revision, object }) => `${keyText(key)} ${revision} ${object["mark"]}`);
  }

  #answered(writes: readonly Write[], result: TransactionResult): void {
    if (result.outcome === "stored") {
      for (const [index, stored] of result.stored.entries()) {
        this.model.writes.set(stored.revision, writes[index] as Write);
        expect(stored.object).toStrictEqual(readJson(stored.text));
      }
      return;
    }
    expect(result.outcome).toBe("conflict");
    const { expected = 0 } = (result.outcome === "conflict" && writes[result.at]) || {};
    if (result.outcome === "conflict" && expected > 0) expect(result.current?.revision).not.toBe(expected);
  }

  #failed(writes: readonly Write[], error: unknown): void {
    expect(error).toBeInstanceOf(StorageUnavailable);
    if (error instanceof StorageUnavailable && error.cause instanceof LogFull) return;
    for (const write of writes) this.#doubtful.set(write.mark, write);
  }

  /** After an uncertain failure, writes without a result may turn out to be stored. */
  #learnDoubtful(): void {
    const changes: Change[] = [];
    for (const resource of ["configmaps", "secrets"]) {
      this.store.watch({ resource }, this.store.oldestRevision, (change) => changes.push(change))();
    }
    for (const { revision, stored } of changes) {
      const write = this.model.writes.get(revision) ?? this.#doubtful.get(stored.object["mark"] as number);
      expect(write?.mark).toBe(stored.object["mark"]);
      this.model.writes.set(revision, write as Write);
    }
  }
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(
      fc.constant("write" as const),
      fc.array(
        fc.tuple(fc.nat(23), fc.constantFrom<Knows>("newest", "newest", "newest", "older", "nothing"), fc.boolean()),
        { minLength: 1, maxLength: 4 },
      ),
    ),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant("settle" as const)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("watch" as const), fc.nat(11), fc.nat(10)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant("pass" as const), fc.constantFrom(50, 400, 2_000)) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant("fault" as const),
      fc.constantFrom<Fault>("none", "slow", "slow", "full", "lost", "kept"),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("restart" as const)) },
);

async function act(world: World, [what, ...rest]: readonly [string, ...unknown[]]): Promise<void> {
  const [one, two] = rest;
  if (what === "write") world.write(one as Parameters<World["write"]>[0]);
  if (what === "settle") await world.settle();
  if (what === "watch") world.watch(one as number, two as number);
  if (what === "pass") world.clock.advance(one as number);
  if (what === "fault") world.log.faults.push(one as Fault);
  if (what === "restart") await world.restart();
}

describe("a store under faults", () => {
  it("shows exactly the acknowledged writes, in one order, to lists and watches at any revision", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const world = new World();
        await world.open();
        for (const each of steps) await act(world, each);
        await world.restart();
        await world.store.close();
        expect(world.clock.waiting).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});
