import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { AdmissionRequest } from "@milo-quota/kubernetes/protocol/admission-request.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  allowed,
  type Decide,
  type DecideRemoval,
  isObjectChange,
  isObjectRemoval,
  type ObjectChange,
  type Verdict,
} from "../object-change.ts";
import { readReview } from "./review-request.ts";
import { scaledObject } from "./scaled-object.ts";

export interface ReviewDeps {
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;
  readonly clientOf: (plane: string) => KubeClient;
}

/** The control plane of the API server that sends the review, and the time left until it gives up. */
export interface ReviewOrigin {
  readonly plane: string;
  readonly waitMsMax: number;
}

/** An API server truncates warnings, and drops them when there are too many. */
const warningsMax = 20;

/** Responds to an AdmissionReview; throws InvalidReview. A webhook is not informed whether the object was stored. */
export async function reviewResponse(
  review: JsonValue,
  { plane, waitMsMax }: ReviewOrigin,
  deps: ReviewDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { uid, ...request } = readReview(review);
  const warnings: string[] = [];
  const warn = (text: string): void => void (warnings.length < warningsMax && warnings.push(text));
  const verdict = await decideRequest({ ...request, plane, waitMsMax, warn }, deps, signal);
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: {
      uid,
      allowed: verdict.allowed,
      ...(verdict.allowed ? {} : { status: verdict.status as unknown as JsonObject }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
  };
}

async function decideRequest(
  request: AdmissionRequest & Pick<ObjectChange, "waitMsMax">,
  { decide, decideRemoval, clientOf }: ReviewDeps,
  signal: AbortSignal,
): Promise<Verdict> {
  if (isObjectRemoval(request)) return decideRemoval(request, signal);
  if (!isObjectChange(request)) return allowed;
  if (request.subresource !== "scale" || request.kind.kind !== "Scale") return decide(request, signal);
  const scaled = await scaledObject(request, clientOf(request.plane), signal);
  return scaled === undefined ? allowed : decide(scaled, signal);
}
