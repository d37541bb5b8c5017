import { formatTimestamp } from "@milo-quota/kubernetes/cel/values/time/timestamps.ts";
import { Timestamp } from "@milo-quota/kubernetes/cel/values/value.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { TokenIdentity } from "../authentication/token-authenticator.ts";
import { userInfoJson, withAuthenticatedGroup } from "../well-known-users.ts";
import type { ReviewContext, ReviewDeps } from "./review-context.ts";
import { badRequest, readObject, readReview, readText, readTexts, within } from "./review-fields.ts";

const group = "authentication.k8s.io";

/** Who am I? What `kubectl auth whoami` asks. */
export async function selfSubjectReview(
  body: unknown,
  { user }: ReviewContext,
  { clock }: ReviewDeps,
): Promise<JsonObject> {
  const kind = "SelfSubjectReview";
  readReview(body, kind, group);
  const creationTimestamp = formatTimestamp(new Timestamp(BigInt(Math.floor(clock.now() / 1000)) * 1_000_000_000n));
  const status = { userInfo: userInfoJson(user) };
  return { kind, apiVersion: `${group}/v1`, metadata: { creationTimestamp }, status };
}

/** Whose token is this? For servers that receive tokens of this one. */
export async function tokenReview(
  body: unknown,
  { namespace }: ReviewContext,
  { tokens, audiences: own }: ReviewDeps,
  signal: AbortSignal,
): Promise<JsonObject> {
  const kind = "TokenReview";
  const review = readReview(body, kind, group);
  if (namespace !== "") throw badRequest(`namespace is not allowed on this type: ${namespace}`);
  const root = { review: kind, path: "" };
  const spec = readObject(review, "spec", root) ?? {};
  const location = within(root, "spec");
  const token = readText(spec, "token", location);
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = readTexts(spec, "audiences", location);
  const identity = await tokens.authenticateToken(token, signal);
  const audiences = (identity?.audiences ?? own).filter((one) => (wanted.length === 0 ? own : wanted).includes(one));
  const metadata = ownValue(review, "metadata");
  return {
    kind,
    apiVersion: `${group}/v1`,
    metadata: isJsonObject(metadata) ? metadata : {},
    spec: { token, ...(wanted.length === 0 ? {} : { audiences: wanted }) },
    status: identity === undefined || audiences.length === 0 ? unknownToken : knownToken(identity, audiences),
  };
}

const unknownToken: JsonObject = { user: {}, error: "invalid bearer token" };

function knownToken({ user }: TokenIdentity, audiences: readonly string[]): JsonObject {
  return { authenticated: true, user: userInfoJson(withAuthenticatedGroup(user)), audiences };
}
