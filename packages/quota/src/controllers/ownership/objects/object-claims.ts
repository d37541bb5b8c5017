import type { ClaimEntry } from "../claims/claim-index.ts";

/** The claims of an object by a policy, without denied ones. */
export function claimsOfPolicy(policy: string, uid: string, claims: readonly ClaimEntry[]): readonly ClaimEntry[] {
  return claims.filter(([, { automatic, state }]) => {
    if (automatic?.policy !== policy || state === "denied") return false;
    return automatic.bound === uid || automatic.candidates.includes(uid);
  });
}
