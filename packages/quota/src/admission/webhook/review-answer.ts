import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Decide, DecideRemoval, ObjectChange, Verdict } from "../object-change.ts";
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
  const { uid, change, removal } = readReview(review);
  const warnings: string[] = [];
  const warn = (text: string): void => void (warnings.length < warningsMax && warnings.push(text));
  let verdict: Verdict = { allowed: true };
  if (change !== undefined) verdict = await decided({ ...change, plane, waitMsMax, warn }, ports, signal);
  if (removal !== undefined) verdict = await ports.decideRemoval({ ...removal, plane, warn }, signal);
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
  change: ObjectChange,
  { decide, clientOf }: Pick<ReviewPorts, "decide" | "clientOf">,
  signal: AbortSignal,
): Promise<Verdict> {
  if (change.subresource !== "scale" || change.kind !== "Scale") return decide(change, signal);
  const scaled = await scaledObject(change, clientOf(change.plane), signal);
  return scaled === undefined ? { allowed: true } : decide(scaled, signal);
}
