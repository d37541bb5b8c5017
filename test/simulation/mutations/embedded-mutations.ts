import type { Mutation } from "./mutation.ts";

const ahead = "src/controllers/writer/ahead.ts";
const birth = "src/controllers/writer/birth.ts";
const births = "src/controllers/writer/births.ts";
const batch = "src/controllers/writer/batch.ts";
const bornObject = "src/apiserver/registry/born-object.ts";
const logWriter = "src/apiserver/storage/log-writer.ts";
const isAlone = "together !== undefined && !this.isWaiting(together)";

/** Mistakes that only matter where server, controllers and admission are one process. */
export const embeddedMutations: readonly Mutation[] = [
  {
    name: "a claim is born without company",
    worlds: "embedded",
    edits: [
      {
        file: bornObject,
        find: "if (places.length === 0 || !places.every(isWaiting)) return undefined;",
        replace: "",
      },
      { file: logWriter, find: isAlone, replace: "false" },
    ],
  },
  {
    name: "a claim is born by a page that was taken back",
    worlds: "embedded",
    edits: [
      {
        file: bornObject,
        find: "  const footing = footingOf(registry.store, birth.rests);",
        replace: `  await new Promise((resolve) => registry.clock.after(30, resolve));
  const footing = footingOf(registry.store, birth.rests);`,
      },
      {
        file: bornObject,
        find: "takenBack === store.takenBack && store.isWaiting(revision);",
        replace: "takenBack !== store.takenBack || store.isWaiting(revision);",
      },
      {
        file: "src/apiserver/registry/create.ts",
        find: "{ takenBack, together, standing });",
        replace: "{ takenBack: together === undefined ? takenBack : undefined, together, standing });",
      },
      { file: logWriter, find: isAlone, replace: "false" },
    ],
  },
  {
    name: "company is parted by a full batch",
    worlds: "embedded",
    edits: [
      {
        file: logWriter,
        find: "this.#queue.splice(0, this.#withCompany(count))",
        replace: "this.#queue.splice(0, count)",
      },
    ],
  },
  {
    name: "births are not followed",
    worlds: "embedded",
    edits: [
      {
        file: birth,
        find: 'const isGranted = stored?.answer.state === "granted";',
        replace: "const isGranted = true;",
      },
      { file: birth, find: "else if (stored === undefined) desk.isCounted = false;", replace: "" },
      { file: birth, find: "else dropPromises(desk.ledger, entry.open);", replace: "" },
    ],
  },
  {
    name: "a page that does not count who comes with it",
    worlds: "embedded",
    edits: [
      {
        file: "src/core/ledger/rewrite.ts",
        find: "const figures = shown(book.figures());",
        replace: "const figures = shown({ ...book.figures(), allocated: book.granted });",
      },
    ],
  },
  {
    name: "who comes counts for nobody",
    worlds: "embedded",
    edits: [
      {
        file: "src/core/ledger/page-book.ts",
        find: "if (short.length === 0) this.#addPromises(wanted);",
        replace: 'if (short.length === 0 && wanted.as === "promise") this.#addPromises(wanted);',
      },
    ],
  },
  {
    name: "a birth that is promised nothing",
    worlds: "embedded",
    edits: [
      {
        file: births,
        find: "this.#places.set(type, place);",
        replace: `this.#places.set(type, place);
    for (const uid of [...this.#waiting.keys()]) this.promised(uid);`,
      },
      { file: births, find: "this.#letGo((uid) => !reserved.has(uid));", replace: "" },
    ],
  },
  {
    name: "a birth by one page of several",
    worlds: "embedded",
    edits: [
      {
        file: births,
        find: "pagesOf(entry.open).map((type) => this.#places.get(type));",
        replace: "pagesOf(entry.open).flatMap((type) => this.#places.get(type) ?? []);",
      },
      {
        file: "src/controllers/writer/promises.ts",
        find: "if (!isAll(reserve, this.#standing)) continue;",
        replace: "if (!pagesOf(reserve.claim).includes(type)) continue;",
      },
    ],
  },
  {
    name: "more is taken than was kept",
    worlds: "embedded",
    edits: [
      {
        file: ahead,
        find: "return kept !== undefined && kept.left >= part.amount;",
        replace: "return kept !== undefined;",
      },
    ],
  },
  {
    name: "more is kept than there is",
    worlds: "embedded",
    edits: [
      { file: ahead, find: "least(times(came, growth), partOf(available, partMax))", replace: "times(came, growth)" },
    ],
  },
  {
    name: "what is kept is never given back",
    worlds: "embedded",
    edits: [{ file: "src/core/ledger/rewrite.ts", find: "stored.ahead === next.ahead &&", replace: "" }],
  },
  {
    name: "a page that is being deleted is never known",
    worlds: "embedded",
    edits: [
      {
        file: "src/controllers/writer/bucket-writer.ts",
        find: "(!deleting || isKnown())",
        replace: "!deleting",
      },
    ],
  },
  {
    name: "an object before its promise has its place",
    worlds: "embedded",
    edits: [
      {
        file: batch,
        find: "const promises = new Promises(decisions.filter(isReserve), tell);",
        replace: `const promises = new Promises(decisions.filter(isReserve), tell);
  for (const { claim } of decisions.filter(isReserve)) ports.told.promised?.(claim.claim.uid);`,
      },
    ],
  },
];
