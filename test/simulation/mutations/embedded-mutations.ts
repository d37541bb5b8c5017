import type { Mutation } from "./mutation.ts";

const storeChange = "packages/apiserver/src/registry/store-change.ts";
const bucketBatch = "packages/quota/src/controllers/writer/transactions/bucket-batch.ts";
const transact = "const result = await registry.store.transact(writes, { ticket, isBeforeRendered: isRelease });";

/** Mutations that matter only where API server, controllers and admission are one process. */
export const embeddedMutations: readonly Mutation[] = [
  {
    name: "a claim is stored without its object",
    worlds: "embedded",
    edits: [
      {
        file: storeChange,
        find: transact,
        replace: `if (!isRelease) {
      const first = await registry.store.transact(others, { ticket });
      if (first.outcome !== "stored") return { outcome: "declined" };
    }
    const result = await registry.store.transact(
      isRelease ? writes : [change.write],
      isRelease ? { ticket, isBeforeRendered: true } : {},
    );`,
      },
    ],
  },
  {
    name: "an object is stored without its claim",
    worlds: "embedded",
    edits: [
      {
        file: storeChange,
        find: transact,
        replace: `const result = await registry.store.transact(isRelease ? writes : [change.write], {
      ticket,
      isBeforeRendered: isRelease,
    });`,
      },
    ],
  },
  {
    name: "a transaction is split over two appends",
    worlds: "embedded",
    edits: [
      {
        file: "packages/apiserver/src/storage/log/log-writer.ts",
        find: "await log.append(records, this.isFull);",
        replace: `await log.append(records.slice(0, 1), this.isFull);
      if (records.length > 1) await log.append(records.slice(1), this.isFull);`,
      },
    ],
  },
  {
    name: "watchers get events before all of a transaction is readable",
    worlds: "embedded",
    edits: [
      {
        file: "packages/apiserver/src/storage/store.ts",
        find: "this.#changes = rows.map(({ record, object }) => this.#objects.apply(record, object, nowMs));",
        replace: `this.#changes = rows.map(({ record, object }) => {
      const change = this.#objects.apply(record, object, nowMs);
      this.#watchers.notify(change);
      return change;
    });`,
      },
    ],
  },
  {
    name: "a bookmark names a revision inside a transaction",
    worlds: "embedded",
    edits: [
      {
        file: "packages/apiserver/src/http/watch/watch-stream.ts",
        find: `    if (this.#isBookmarkDue) return;
    this.#sent = this.#deps.store.revision;`,
        replace: `    if (this.#isBookmarkDue) return;
    this.#sent = this.#deps.store.revision - 1;`,
      },
    ],
  },
  {
    name: "a progress response names a revision inside a transaction",
    worlds: "embedded",
    edits: [
      {
        file: "packages/apiserver/src/http/requests/read-requests.ts",
        find: "return plainTextResponse(200, String(registry.store.revision));",
        replace: "return plainTextResponse(200, String(registry.store.revision - 1));",
      },
    ],
  },
  {
    name: "two transactions are settled on one version of a bucket",
    worlds: "embedded",
    edits: [
      {
        file: bucketBatch,
        find: "const content = contentOf(state.ledger, before, noChanges);",
        replace: "const content = contents.get(bucketKey(state, type));",
      },
      {
        file: bucketBatch,
        find: "this.#touched.set(bucketKey(state, type), { state, type });",
        replace: `if (!this.#touched.has(bucketKey(state, type)))
          contents.set(bucketKey(state, type), contentOf(state.ledger, state.buckets.get(type), noChanges));
        this.#touched.set(bucketKey(state, type), { state, type });`,
      },
      {
        file: bucketBatch,
        find: "interface StateChange {",
        replace: "const contents = new Map();\n\ninterface StateChange {",
      },
    ],
  },
  {
    name: "the ledger is not rolled back",
    worlds: "embedded",
    scenario: "a full disk rolls a create back, and the object is created again",
    edits: [
      {
        file: bucketBatch,
        find: "for (const { claim } of granted) state?.markNeverStored(claim.uid);",
        replace: "",
      },
    ],
  },
  {
    name: "a released claim is not counted again after a rollback",
    worlds: "embedded",
    scenario: "a full disk rolls a delete back, and another object is created",
    edits: [
      {
        file: bucketBatch,
        find: `        state?.invalidate();
        this.#options.rebuild(consumerId);`,
        replace: "",
      },
    ],
  },
  {
    name: "a second attempt under the claim UID of the first",
    worlds: "embedded",
    scenario: "a full disk rolls a create back, and the object is created again",
    edits: [
      {
        file: "packages/quota/src/admission/claims/transactional-claims.ts",
        find: "({ plane, claim, uid: newUid() })",
        replace: "({ plane, claim, uid: [plane, claim.namespace, claim.name].join(' ') })",
      },
      {
        file: "packages/quota/src/core/ledger/settle.ts",
        find: 'if (known !== undefined && (known.state !== "pending" || known.deleting)) return false;',
        replace: 'if (known !== undefined && (known.state === "granted" || known.deleting)) return false;',
      },
      // The ledger forgets a rolled-back claim immediately, which would hide the mutation.
      {
        file: "packages/quota/src/controllers/writer/consumer-state.ts",
        find: "    this.ledger.forget([uid]);\n",
        replace: "",
      },
    ],
  },
  {
    name: "a denial counts a transaction that is rolled back",
    worlds: "embedded",
    scenario: "a full disk rolls a create back while a claim waits for what it would have taken",
    edits: [
      {
        file: "packages/quota/src/controllers/writer/transactions/turns.ts",
        find: "while (!this.isFree) await this.#over;",
        replace: "",
      },
    ],
  },
  {
    name: "a bucket counts a create that failed in its batch",
    worlds: "embedded",
    edits: [
      {
        file: bucketBatch,
        find: "for (const each of granted) each.state.markNeverStored(each.uid);",
        replace: "",
      },
    ],
  },
  {
    name: "a retry settles twice",
    worlds: "embedded",
    edits: [
      {
        file: bucketBatch,
        find: 'this.#leftOut.set(ticket, { outcome: "busy", until: busy.turns.over });',
        replace: `this.#leftOut.set(ticket, { outcome: "busy", until: busy.turns.over });
      for (const { change, state } of changes) for (const claim of change.granted) grantAtOnce(state.ledger, claim);`,
      },
    ],
  },
  {
    name: "a ticket is rendered on a bucket that another client has changed",
    worlds: "embedded",
    scenario: "an operator annotates a bucket, and an object is created in the same append",
    edits: [
      {
        file: bucketBatch,
        find: "if (this.#isCurrent({ plane: state.key.plane, namespace, name }, bucket.version)) continue;",
        replace: "continue;",
      },
    ],
  },
];
