import type { Mutation } from "./mutation.ts";

/** Mistakes in letting objects in. */
export const admissionMutations: readonly Mutation[] = [
  {
    name: "allow a name that exists",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-attempt.ts",
        find: "if (await this.#claimant.exists(bound, signal)) throw this.#claimant.taken();",
        replace: "",
      },
    ],
  },
  {
    name: "join a claim without a write",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-attempt.ts",
        find: "return this.#list(claim, candidatesOf(claim.metadata), signal);",
        replace: "return claim;",
      },
      {
        file: "packages/quota/src/admission/claims/waiter.ts",
        find: "uid === this.#uid && candidatesOf(claim.metadata).includes(this.wanted.candidate)",
        replace: "uid === this.#uid",
      },
    ],
  },
  {
    name: "no re-read after 410",
    scenario: "a claim is decided while the door hears nothing, and history does not reach back to it",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-stream.ts",
        find: "if (this.#isOpen) this.#readAll();",
        replace: "",
      },
    ],
  },
  {
    name: "waiter by name",
    scenario: "a claim is denied, and made again for another object of the name, while the door hears nothing",
    edits: [
      {
        file: "packages/quota/src/admission/claims/waiter.ts",
        find: 'if (!isOurs) return this.end({ result: "lost" });',
        replace: "",
      },
    ],
  },
  {
    name: "withdraw skipped",
    scenario: "an object is refused for one of the two things that it takes",
    edits: [
      {
        file: "packages/quota/src/admission/claims/withdrawal.ts",
        find: "if (claim === undefined || !lists(claim, listed)) return;",
        replace: "return;",
      },
    ],
  },
  {
    name: "answer before durable",
    edits: [
      {
        file: "packages/quota/src/admission/claims/waiter.ts",
        find: `case "pending":
        return "pending";`,
        replace: `case "pending":
        return this.end({ result: "granted" });`,
      },
    ],
  },
];
