import type { Mutation } from "./mutation.ts";

/** Mutations of admission. */
export const admissionMutations: readonly Mutation[] = [
  {
    name: "allow a name that exists",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-acquisition.ts",
        find: "if (await this.#claimant.exists(bound, signal)) throw this.#claimant.alreadyExists();",
        replace: "",
      },
    ],
  },
  {
    name: "join a claim without a write",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-acquisition.ts",
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
    scenario: "a claim is decided while the stream of admission stalls, and the watch history expires",
    edits: [
      {
        file: "packages/quota/src/admission/claims/claim-stream.ts",
        find: "if (this.#isOpen) this.#readAll();",
        replace: "",
      },
    ],
  },
  {
    name: "waiter follows a claim by name",
    scenario: "a claim is denied and created again for another object of the name while the stream of admission stalls",
    edits: [
      {
        file: "packages/quota/src/admission/claims/waiter.ts",
        find: 'if (!isOurs) return this.end({ result: "lost" });',
        replace: "",
      },
    ],
  },
  {
    name: "claims are not withdrawn after a rejection",
    scenario: "an object is rejected for one of its two claims",
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
