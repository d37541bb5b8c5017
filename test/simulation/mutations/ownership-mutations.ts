import type { Mutation } from "./mutation.ts";

const nextStep = "packages/quota/src/controllers/ownership/claims/next-step.ts";
const changes = "packages/quota/src/controllers/ownership/claims/claim-writer.ts";
const deletion = '{ uid, resourceVersion, propagation: "Background" }';

/** Mutations of binding claims to objects and of releasing them. */
export const ownershipMutations: readonly Mutation[] = [
  {
    name: "release without resource version",
    scenario: "an object joins an unused claim while the claim is being deleted",
    edits: [{ file: changes, find: deletion, replace: '{ uid, propagation: "Background" }' }],
  },
  {
    name: "delete by name",
    scenario: "an object joins an unused claim while the claim is being deleted",
    edits: [{ file: changes, find: deletion, replace: '{ propagation: "Background" }' }],
  },
  {
    name: "read before the TTL",
    scenario: "an object is stored long after admission, and a controller with a fast clock observes it even later",
    edits: [
      {
        file: "packages/quota/src/controllers/ownership/claims/step-planner.ts",
        find: 'return step.step === "read" ? decide(await this.#read(address, signal)) : step;',
        replace: `const early = this.early?.get(claim.uid + automatic.candidates.join() + automatic.bound);
    return step.step === "read" ? decide(await (early ?? this.#read(address, signal))) : step;`,
      },
      {
        file: "packages/quota/src/controllers/ownership/claims/step-planner.ts",
        find: "const address = addressOf(automatic, this.#deps.runtime.planes);\n    return this.#decide(",
        replace: `const address = addressOf(automatic, this.#deps.runtime.planes);
    const early = (this.early ??= new Map());
    const id = claim.uid + automatic.candidates.join() + automatic.bound;
    if (!early.has(id)) early.set(id, this.#read(address, new AbortController().signal));
    return this.#decide(`,
      },
    ],
  },
  {
    name: "TTL by another machine's clock",
    scenario: "an object is stored long after admission, and a controller with a fast clock observes it even later",
    edits: [
      {
        file: "packages/quota/src/views/claim-record.ts",
        find: "deleting: deletionTimestamp !== undefined,",
        replace: `deleting: deletionTimestamp !== undefined,
      createdMs: Date.parse(claim.metadata.creationTimestamp ?? ""),`,
      },
      {
        file: "packages/quota/src/controllers/ownership/claims/claim-index.ts",
        find: "new ClaimHistory(runtime.elapsedMs)",
        replace: "new ClaimHistory(() => runtime.clock.now())",
      },
      {
        file: "packages/quota/src/controllers/ownership/objects/claim-history.ts",
        find: "const candidatesSinceMs = before?.candidates === candidates ? before.candidatesSinceMs : nowMs;",
        replace: "const candidatesSinceMs = claim.createdMs;",
      },
    ],
  },
  {
    name: "no TTL at all",
    scenario: "an object is stored long after admission, and a controller with a fast clock observes it even later",
    edits: [{ file: nextStep, find: "reservationTtlMs: 40_000", replace: "reservationTtlMs: 400" }],
  },
  {
    name: "ignore other candidates",
    scenario: "an object is deleted while another one of its name is being stored",
    edits: [
      {
        file: nextStep,
        find: "const left = candidates.filter((uid) => uid !== bound);",
        replace: "const left = candidates.filter((uid) => false);",
      },
    ],
  },
  {
    name: "other candidates dropped immediately",
    scenario: "an object is deleted while another one of its name is being stored",
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
    scenario: "an object has its claim in another plane",
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
    scenario: "an object is deleted while another one of its name is being stored",
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
    scenario: "objects of the same name in two planes bypass admission",
    edits: [
      {
        file: "packages/quota/src/core/policy/rendered-names.ts",
        find: "stableHash([...originParts(origin), consumerKey(consumer), ...requestTexts], nameHashLength)",
        replace:
          'stableHash([...originParts({ ...origin, plane: "" }), consumerKey(consumer), ...requestTexts], nameHashLength)',
      },
    ],
  },
];
