import type { Mutation } from "./mutation.ts";

const nextStep = "src/controllers/ownership/next-step.ts";
const changes = "src/controllers/ownership/claim-changes.ts";
const deletion = '{ uid, resourceVersion: version, propagation: "Background" }';

/** Mistakes in binding claims to objects, and in letting them go. */
export const ownershipMutations: readonly Mutation[] = [
  {
    name: "release without version",
    edits: [{ file: changes, find: deletion, replace: '{ uid, propagation: "Background" }' }],
  },
  {
    name: "delete by name",
    edits: [{ file: changes, find: deletion, replace: '{ propagation: "Background" }' }],
  },
  {
    name: "read before the TTL",
    edits: [
      {
        file: "src/controllers/ownership/claim-decisions.ts",
        find: 'return step.step === "look" ? decide(await this.#look(address, signal)) : step;',
        replace: `const early = (this.early ??= new Map());
    const id = claim.uid + automatic.candidates.join() + automatic.bound;
    if (!early.has(id)) early.set(id, await this.#look(address, signal));
    return step.step === "look" ? decide(early.get(id)) : step;`,
      },
    ],
  },
  {
    name: "TTL by another machine's clock",
    edits: [
      {
        file: "src/controllers/views/claim-record.ts",
        find: "deleting: deletionTimestamp !== undefined,",
        replace: `deleting: deletionTimestamp !== undefined,
      createdMs: Date.parse(claim.metadata.creationTimestamp ?? ""),`,
      },
      {
        file: "src/controllers/ownership/claim-register.ts",
        find: "new FirstSeen(runtime.elapsedMs)",
        replace: "new FirstSeen(() => runtime.clock.now())",
      },
      {
        file: "src/controllers/ownership/first-seen.ts",
        find: "const listMs = isSameClaim && before.list === list ? before.listMs : nowMs;",
        replace: "const listMs = claim.createdMs;",
      },
    ],
  },
  {
    name: "no TTL at all",
    edits: [{ file: nextStep, find: "reservationTtlMs: 40_000", replace: "reservationTtlMs: 400" }],
  },
  {
    name: "ignore other candidates",
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
    edits: [
      {
        file: "src/controllers/ownership/governed-object.ts",
        find: 'return claim.plane === place.plane && (place.namespace === "" || place.namespace === claim.namespace);',
        replace: "return true;",
      },
    ],
  },
  {
    name: "owner reference with several candidates",
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
    edits: [
      {
        file: "src/core/policy/rendered-names.ts",
        find: "return [plane, policy, group, kind, namespace, name];",
        replace: "return [policy, group, kind, namespace, name];",
      },
    ],
  },
];
