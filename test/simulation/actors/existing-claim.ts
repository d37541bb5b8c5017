import { claimsType } from "../../../src/controllers/quota-types.ts";
import { annotations, candidatesMax } from "../../../src/core/resources/well-known.ts";
import { type JsonObject, jsonEquals } from "../../../src/protocol/json-value.ts";
import { at, conditionAt, textAt } from "../invariants/json-fields.ts";
import type { Host } from "../world/world.ts";
import { clientOf, signal } from "./clients.ts";
import type { NeededClaim } from "./needed-claims.ts";
import { metadataOf } from "./operator.ts";

/** What is done about a claim that is there already. */
export type Existing = "listed" | "denied" | "bound" | "full" | "other" | "going" | "open";

export function existingState(found: JsonObject, { manifest }: NeededClaim, uid: string): Existing {
  const { deletionTimestamp, annotations: noted = {} } = metadataOf(found);
  if (deletionTimestamp !== undefined) return "going";
  if (!isSameClaim(found, manifest)) return "other";
  const listed = candidatesIn(found);
  if (listed.includes(uid)) return "listed";
  if (textAt(conditionAt(found, "Granted"), "reason") === "QuotaExceeded") return "denied";
  if (noted[annotations.bound] !== undefined) return "bound";
  return listed.length >= candidatesMax ? "full" : "open";
}

function isSameClaim(found: JsonObject, manifest: JsonObject): boolean {
  const origin = (claim: JsonObject): readonly string[] =>
    [annotations.policy, annotations.resourcePlane].map((name) => metadataOf(claim).annotations?.[name] ?? "");
  const asks = (claim: JsonObject) => [
    at(claim, "spec", "consumerRef") ?? null,
    at(claim, "spec", "resourceRef") ?? null,
    ...(at(claim, "spec", "requests") as JsonObject[]).map((request) =>
      ["resourceType", "amount", "dimensions"].map((field) => request[field] ?? null),
    ),
  ];
  return jsonEquals([...origin(found)], [...origin(manifest)]) && jsonEquals(asks(found), asks(manifest));
}

export function candidatesIn(claim: JsonObject): readonly string[] {
  const text = metadataOf(claim).annotations?.[annotations.candidates] ?? "";
  return text.split(",").filter((uid) => uid !== "");
}

/** Who a claim is for from now on. */
export interface NewCandidates {
  readonly listed: readonly string[];
  readonly keepsBound: boolean;
}

/** Writes the list of candidates, if nobody has changed the claim since. */
export async function writeCandidates(
  host: Host,
  plane: string,
  found: JsonObject,
  next: NewCandidates,
): Promise<void> {
  const { namespace = "", name = "", resourceVersion, uid } = metadataOf(found);
  const noted = {
    [annotations.candidates]: next.listed.join(","),
    ...(next.keepsBound ? {} : { [annotations.bound]: null }),
  };
  const body = { metadata: { uid, resourceVersion, annotations: noted } };
  await clientOf(host, plane, claimsType).patch({ namespace, name }, { type: "merge", body }, {}, signal);
}

/** Deletes this very claim, if nobody has changed it since. */
export async function deleteClaim(host: Host, plane: string, found: JsonObject): Promise<void> {
  const { namespace = "", name = "", resourceVersion = "", uid = "" } = metadataOf(found);
  await clientOf(host, plane, claimsType).delete({ namespace, name }, { uid, resourceVersion }, signal);
}
