import type { Mutation } from "./mutation.ts";

/** Mutations of deciding claims and of writing buckets. */
export const writerMutations: readonly Mutation[] = [
  {
    name: "commit an incomplete attempt",
    scenario: "an operator annotates one of two buckets while a writer updates both",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/decide-batch.ts",
        find: "return resourceTypesOf(claim).every((type) => written.has(type));",
        replace: "return resourceTypesOf(claim).some((type) => written.has(type));",
      },
    ],
  },
  {
    name: "drop a reservation without the fence",
    scenario: "an incomplete reservation is dropped while the write of its other half is in flight",
    edits: [
      {
        file: "packages/quota/src/core/ledger/recover.ts",
        find: 'return open.length > 0 ? { step: "fence", buckets: open } : { step: "drop", attempts };',
        replace: 'return { step: "drop", attempts };',
      },
    ],
  },
  {
    name: "no attempt id",
    scenario: "two writers reserve one bucket each",
    edits: [
      {
        file: "packages/quota/src/core/ledger/recover.ts",
        find: "reservation.attempt === attempt &&",
        replace: "",
      },
    ],
  },
  {
    name: "ignore one bucket of a claim",
    edits: [
      {
        file: "packages/quota/src/core/ledger/ledger-bucket.ts",
        find: "return [...new Set(parts.map((part) => part.resourceType))];",
        replace: "return [...new Set(parts.map((part) => part.resourceType))].slice(0, 1);",
      },
    ],
  },
  {
    name: "recount from a stale cache",
    scenario: "a writer with a stale claim cache recounts a bucket",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/recount.ts",
        find: "await Promise.all([views.claims.waitUntilFresh(signal), views.grants.waitUntilFresh(signal)]);",
        replace: "",
      },
    ],
  },
  {
    name: "adjust allocated by a delta",
    edits: [
      {
        file: "packages/quota/src/core/ledger/rewrite.ts",
        find: "const figures = capped(typeLedger.figures());",
        replace: `const now = typeLedger.figures();
  const counted = (globalThis.counted ??= new WeakMap());
  const allocated = bucket.content.figures.allocated + now.allocated - (counted.get(typeLedger) ?? now.allocated);
  counted.set(typeLedger, now.allocated);
  const figures = capped({ ...now, allocated });`,
      },
    ],
  },
  {
    name: "resurrect a claim after its delete",
    scenario: "a claim is deleted before the writer gets the response to granting it",
    edits: [
      {
        file: "packages/quota/src/core/ledger/claim-knowledge.ts",
        find: "if (rank[learned.state] < rank[known.state]) return known;",
        replace: 'if (rank[learned.state] < rank[known.state]) return known.state === "gone" ? learned : known;',
      },
    ],
  },
  {
    name: "commit by name after re-creation",
    scenario: "a claim is created again under its name while the old one is being decided",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/claims/claim-store.ts",
        find: 'if (current === undefined || current.metadata.uid !== uid) return { outcome: "gone" };',
        replace: `if (current === undefined) return { outcome: "gone" };
      if (current.metadata.uid !== uid) return this.write(key, { claim: current, status }, signal);`,
      },
    ],
  },
  {
    name: "deny from a stale cache",
    scenario: "a writer with a stale grant cache decides a claim after the limit was raised",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/claims/denials.ts",
        find: `  await Promise.all([views.grants.waitUntilFresh(signal), views.registrations.waitUntilFresh(signal)]);
  const { grantChanges } = state;
  const types = new Set(denials.flatMap(resourceTypesOf).filter((type) => !swapped.has(type)));
  if (!(await areUnchanged(state, [...types], deps, signal))) return true;
  await views.claims.waitUntilFresh(signal);
  const short = shortages(state, denials, deps);
  await views.grants.waitUntilFresh(signal);
`,
        replace: `  const { grantChanges } = state;
  const short = shortages(state, denials, deps);
`,
      },
    ],
  },
  {
    name: "bucket deleted while reservations are open",
    scenario: "a bucket is needed again while its delete is in flight",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/buckets/bucket-store.ts",
        find: "delete(ref, { uid, resourceVersion: version }, signal)",
        replace: "delete(ref, { uid }, signal)",
      },
    ],
  },
  {
    name: "write again after a conflict",
    scenario: "two writers reserve the same pool for different dimensions",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/buckets/bucket-store.ts",
        find: 'if (meaning === "conflict") return undefined;',
        replace: `if (meaning === "conflict") {
        const now = await this.read(key, before.resourceType, signal);
        return now === undefined ? undefined : this.swap(key, now, content, signal);
      }`,
      },
    ],
  },
  {
    name: "count by spec",
    scenario: "an object shrinks",
    edits: [
      {
        file: "packages/quota/src/core/ledger/read-claim.ts",
        find: "parts: decision.allocations }",
        replace: "parts: claim.requests.map(partOf) }",
      },
    ],
  },
  {
    name: "a fence for each dimension",
    scenario: "two writers reserve the same pool for different dimensions",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/buckets/bucket-store.ts",
        find: 'if (meaning === "conflict") return undefined;',
        replace: `if (meaning === "conflict") {
        const now = await this.read(key, before.resourceType, signal);
        const own = new Set(content.reservations.map(({ dimensionKey }) => dimensionKey));
        const isApart = now?.content.reservations.every(({ dimensionKey }) => !own.has(dimensionKey));
        return isApart ? this.swap(key, now, content, signal) : undefined;
      }`,
      },
    ],
  },
  {
    name: "the same writer stamp in two terms",
    scenario: "a process becomes leader a second time",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/buckets/bucket-store.ts",
        find: "this.#term = runtime.random.uuid().slice(0, 8);",
        replace: 'this.#term = "1";',
      },
    ],
  },
];
