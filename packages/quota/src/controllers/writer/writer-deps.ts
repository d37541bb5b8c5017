import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import type { ClaimStore } from "./claims/claim-store.ts";
import type { ForcedClaims } from "./claims/forced-claims.ts";
import type { BucketViews } from "./pages/bucket-views.ts";
import type { PageStore } from "./pages/page-store.ts";

/** Who acts for all. Saves work that would be in vain; nothing is safe by it. */
export interface Leadership {
  /** Throws when this process does not lead, or cannot know. */
  fence(): void;
}

/** What the bucket writer works with. */
export interface WriterDeps {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly registrations: RegistrationIndex;
  readonly forced: ForcedClaims;
  readonly leadership: Leadership;
  readonly pages: PageStore;
  readonly claims: ClaimStore;
  readonly shown: BucketViews;
  readonly observer: DecisionListener;
  /** Queues another round for a consumer. */
  readonly lookAgain: (consumerId: string) => void;
}

/** Hears of what becomes of claims, once that is durable. */
export interface DecisionListener {
  decided?(plane: string, decision: "granted" | "denied", claim: DecidedClaim): void;
  /** A page said something else than the claims; by how much. */
  drifted?(resourceType: string, by: bigint): void;
  /** All claims were added up from scratch; what was found to be wrong is told next. */
  audited?(): void;
  /** So many claims of one consumer were decided together. */
  batched?(claims: number): void;
  /** A page was written; or not, because somebody else had been faster. */
  swapped?(result: "written" | "overtaken"): void;
  /** The pages of one consumer were read, and its claims counted anew. */
  recounted?(): void;
  /** A claim was made for an object that is there without it. */
  forced?(why: "adopted" | "repaired" | "grown"): void;
}

export interface DecidedClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly message: string;
  readonly claim: Pick<ResourceClaim, "metadata" | "consumer" | "resource">;
}
