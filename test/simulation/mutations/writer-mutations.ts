import type { Mutation } from "./mutation.ts";

/** Mistakes in deciding claims and in keeping pages. */
export const writerMutations: readonly Mutation[] = [
  {
    name: "commit an incomplete set",
    scenario: "somebody changes one page of two while both are written",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/decide-batch.ts",
        find: "return resourceTypesOf(claim).every((type) => pages.has(type));",
        replace: "return resourceTypesOf(claim).some((type) => pages.has(type));",
      },
    ],
  },
  {
    name: "drop a reservation without the fence",
    scenario: "a half promise is given up while its other half is on its way",
    edits: [
      {
        file: "packages/quota/src/core/ledger/recover.ts",
        find: 'return open.length > 0 ? { step: "fence", buckets: open } : { step: "drop", attempts };',
        replace: 'return { step: "drop", attempts };',
      },
    ],
  },
  {
    name: "no set id",
    scenario: "two writers promise one page each",
    edits: [
      {
        file: "packages/quota/src/core/ledger/recover.ts",
        find: "reservation.attempt === attempt &&",
        replace: "",
      },
    ],
  },
  {
    name: "ignore one page of a claim",
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
    scenario: "a page is counted by somebody who has not heard of the latest claims",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/recount.ts",
        find: "await Promise.all([views.claims.fresh(signal), views.grants.fresh(signal)]);",
        replace: "",
      },
    ],
  },
  {
    name: "adjust allocated by a delta",
    edits: [
      {
        file: "packages/quota/src/core/ledger/rewrite.ts",
        find: "const figures = shown(typeLedger.figures());",
        replace: `const now = typeLedger.figures();
  const counted = (globalThis.counted ??= new WeakMap());
  const allocated = bucket.content.figures.allocated + now.allocated - (counted.get(typeLedger) ?? now.allocated);
  counted.set(typeLedger, now.allocated);
  const figures = shown({ ...now, allocated });`,
      },
    ],
  },
  {
    name: "resurrect a claim after its delete",
    scenario: "a claim is deleted before the writer hears that it has granted it",
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
    scenario: "a claim is made again under its name while the old one is answered",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/claims/claim-store.ts",
        find: 'if (current === undefined || current.metadata.uid !== uid) return { outcome: "gone" };',
        replace: `if (current === undefined) return { outcome: "gone" };
      if (current.metadata.uid !== uid) return this.write(place, { claim: current, status }, signal);`,
      },
    ],
  },
  {
    name: "deny from a stale cache",
    scenario: "more is granted, and the writer has not heard of it",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/claims/denials.ts",
        find: `  await Promise.all([views.grants.fresh(signal), views.registrations.fresh(signal)]);
  const { grantChanges } = state;
  const types = new Set(denials.flatMap(resourceTypesOf).filter((type) => !swapped.has(type)));
  if (!(await areUnchanged(state, [...types], deps, signal))) return true;
  await views.claims.fresh(signal);
  const short = shortages(state, denials, deps);
  await views.grants.fresh(signal);
`,
        replace: `  const { grantChanges } = state;
  const short = shortages(state, denials, deps);
`,
      },
    ],
  },
  {
    name: "page removed while promises are open",
    scenario: "a page is needed again while its removal is on its way",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/pages/page-store.ts",
        find: "delete(ref, { uid, resourceVersion: version }, signal)",
        replace: "delete(ref, { uid }, signal)",
      },
    ],
  },
  {
    name: "write again after a conflict",
    scenario: "two writers promise the same pool for different dimensions",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/pages/page-store.ts",
        find: 'if (meaning === "conflict") return undefined;',
        replace: `if (meaning === "conflict") {
        const now = await this.read(key, before.page.resourceType, signal);
        return now === undefined ? undefined : this.swap(key, now, content, signal);
      }`,
      },
    ],
  },
  {
    name: "count by spec",
    scenario: "an object comes to need less",
    edits: [
      {
        file: "packages/quota/src/core/ledger/read-claim.ts",
        find: "parts: answer.allocations }",
        replace: "parts: claim.requests.map(partOf) }",
      },
    ],
  },
  {
    name: "a dimension page as fence",
    scenario: "two writers promise the same pool for different dimensions",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/pages/page-store.ts",
        find: 'if (meaning === "conflict") return undefined;',
        replace: `if (meaning === "conflict") {
        const now = await this.read(key, before.page.resourceType, signal);
        const own = new Set(content.reservations.map(({ dimensionKey }) => dimensionKey));
        const isApart = now?.page.content.reservations.every(({ dimensionKey }) => !own.has(dimensionKey));
        return isApart ? this.swap(key, now, content, signal) : undefined;
      }`,
      },
    ],
  },
  {
    name: "the same stamp in two terms",
    scenario: "a process leads a second time",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/pages/page-store.ts",
        find: "this.#term = runtime.random.uuid().slice(0, 8);",
        replace: 'this.#term = "1";',
      },
    ],
  },
];
