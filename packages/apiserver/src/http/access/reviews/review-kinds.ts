import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from "./access-reviews.ts";
import { selfSubjectReview, tokenReview } from "./identity-reviews.ts";
import type { ReviewContext, ReviewDeps } from "./review-context.ts";
import { selfSubjectRulesReview } from "./rules-review.ts";

export type Review = (
  body: unknown,
  context: ReviewContext,
  deps: ReviewDeps,
  signal: AbortSignal,
) => Promise<JsonObject>;

/** A kind that can only be created: the response is its only result, and nothing is stored. */
export interface ReviewKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Parses the object in a body and returns the object to respond with. Rejects with a StatusError. */
  readonly review: Review;
}

const authorization = "authorization.k8s.io";
const authentication = "authentication.k8s.io";

/** In version `v1`. */
export const reviewKinds: readonly ReviewKind[] = [
  cluster(authorization, "SelfSubjectAccessReview", selfSubjectAccessReview),
  cluster(authorization, "SelfSubjectRulesReview", selfSubjectRulesReview),
  cluster(authorization, "SubjectAccessReview", subjectAccessReview),
  { ...cluster(authorization, "LocalSubjectAccessReview", localSubjectAccessReview), scope: "Namespaced" },
  cluster(authentication, "SelfSubjectReview", selfSubjectReview),
  cluster(authentication, "TokenReview", tokenReview),
];

function cluster(group: string, kind: string, review: Review): ReviewKind {
  return { group, resource: `${kind.toLowerCase()}s`, kind, scope: "Cluster", review };
}
