import type { Mutation } from "./mutation.ts";

const nextStep = "packages/quota/src/controllers/ownership/claims/next-step.ts";
const changes = "packages/quota/src/controllers/ownership/claims/claim-changes.ts";
const deletion = '{ uid, resourceVersion, propagation: "Background" }';

/** Mistakes in binding claims to objects, and in letting them go. */
export const ownershipMutations: readonly Mutation[] = [
  {
    name: "release without version",
    scenario: "somebody joins a claim that nobody used, while it is being deleted",
    edits: [{ file: changes, find: deletion, replace: '{ uid, propagation: "Background" }' }],
  },
  {
    name: "delete by name",
    scenario: "somebody joins a claim that nobody used, while it is being deleted",
    edits: [{ file: changes, find: deletion, replace: '{ propagation: "Background" }' }],
  },
  {
    name: "read before the TTL",
    scenario: "an object is stored long after it was let in, and seen even later, by a clock that is ahead",
    edits: [
      {
        file: "packages/quota/src/controllers/ownership/claims/claim-decisions.ts",
        find: 'return step.step === "look" ? decide(await this.#look(address, signal)) : step;',
        replace: `const early = this.early?.get(claim.uid + automatic.candidates.join() + automatic.bound);
    return step.step === "look" ? decide(await (early ?? this.#look(address, signal))) : step;`,
      },
      {
        file: "packages/quota/src/controllers/ownership/claims/claim-decisions.ts",
        find: "const address = addressOf(automatic, this.#options.runtime.planes);\n    return this.#decide(",
        replace: `const address = addressOf(automatic, this.#options.runtime.planes);
    const early = (this.early ??= new Map());
    const id = claim.uid + automatic.candidates.join() + automatic.bound;
    if (!early.has(id)) early.set(id, this.#look(address, new AbortController().signal));
    return this.#decide(`,
      },
    ],
  },
  {
    name: "TTL by another machine's clock",
    scenario: "an object is stored long after it was let in, and seen even later, by a clock that is ahead",
    edits: [
      {
        file: "packages/quota/src/views/claim-record.ts",
        find: "deleting: deletionTimestamp !== undefined,",
        replace: `deleting: deletionTimestamp !== undefined,
      createdMs: Date.parse(claim.metadata.creationTimestamp ?? ""),`,
      },
      {
        file: "packages/quota/src/controllers/ownership/claims/claim-register.ts",
        find: "new FirstSeen(runtime.elapsedMs)",
        replace: "new FirstSeen(() => runtime.clock.now())",
      },
      {
        file: "packages/quota/src/controllers/ownership/objects/first-seen.ts",
        find: "const listMs = isSameClaim && before.list === list ? before.listMs : nowMs;",
        replace: "const listMs = claim.createdMs;",
      },
    ],
  },
  {
    name: "no TTL at all",
    scenario: "an object is stored long after it was let in, and seen even later, by a clock that is ahead",
    edits: [{ file: nextStep, find: "reservationTtlMs: 40_000", replace: "reservationTtlMs: 400" }],
  },
  {
    name: "ignore other candidates",
    scenario: "an object is deleted while another one under its name is on its way",
    edits: [
      {
        file: nextStep,
        find: "const left = candidates.filter((uid) => uid !== bound);",
        replace: "const left = candidates.filter((uid) => false);",
      },
    ],
  },
  {
    name: "other candidates dropped at once",
    scenario: "an object is deleted while another one under its name is on its way",
    edits: [
      {
        file: nextStep,
        find: "const candidates = isSettled && live ? [uid] : automatic.candidates;",
        replace: "const candidates = [uid];",
      },
    ],
  },
  {
    name: "owner reference across planes",
    scenario: "the claim of an object is in another plane",
    edits: [
      {
        file: "packages/quota/src/core/resources/claim-owner.ts",
        find: 'return claim.plane === object.plane && (object.namespace === "" || object.namespace === claim.namespace);',
        replace: "return true;",
      },
    ],
  },
  {
    name: "owner reference with several candidates",
    scenario: "an object is deleted while another one under its name is on its way",
    edits: [
      {
        file: nextStep,
        find: "const ownerVersion = isOnly(candidates, uid) && lacksOwner(claim, object) ? object.apiVersion : undefined;",
        replace: "const ownerVersion = lacksOwner(claim, object) ? object.apiVersion : undefined;",
      },
    ],
  },
  {
    name: "claim name without plane",
    scenario: "objects of the same name in two planes are found that nobody asked about",
    edits: [
      {
        file: "packages/quota/src/core/policy/rendered-names.ts",
        find: "stableHash([...originParts(origin), consumerKey(consumer), ...asked], nameHashLength)",
        replace:
          'stableHash([...originParts({ ...origin, plane: "" }), consumerKey(consumer), ...asked], nameHashLength)',
      },
    ],
  },
];
