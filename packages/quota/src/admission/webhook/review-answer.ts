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

export interface ReviewPorts {
  readonly decide: Decide;
  readonly decideRemoval: DecideRemoval;
  readonly clientOf: (plane: string) => KubeClient;
}

/** In which plane the server is that asks, and how long it waits. */
export interface ReviewOrigin {
  readonly plane: string;
  readonly waitMsMax: number;
}

/** Kubernetes passes no more on, and cuts each at 256 characters or so. */
const warningsMax = 20;

/** The answer to an AdmissionReview; throws NoReview. Nobody tells a webhook whether what it let in was stored. */
export async function answerReview(
  review: JsonValue,
  { plane, waitMsMax }: ReviewOrigin,
  ports: ReviewPorts,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { uid, ...asked } = readReview(review);
  const warnings: string[] = [];
  const warn = (text: string): void => void (warnings.length < warningsMax && warnings.push(text));
  const verdict = await decided({ ...asked, plane, waitMsMax, warn }, ports, signal);
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

async function decided(
  request: AdmissionRequest & Pick<ObjectChange, "waitMsMax">,
  { decide, decideRemoval, clientOf }: ReviewPorts,
  signal: AbortSignal,
): Promise<Verdict> {
  if (isObjectRemoval(request)) return decideRemoval(request, signal);
  if (!isObjectChange(request)) return allowed;
  if (request.subresource !== "scale" || request.kind.kind !== "Scale") return decide(request, signal);
  const scaled = await scaledObject(request, clientOf(request.plane), signal);
  return scaled === undefined ? allowed : decide(scaled, signal);
}
