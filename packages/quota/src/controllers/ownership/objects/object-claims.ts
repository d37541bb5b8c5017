import type { ClaimEntry } from "../claims/claim-register.ts";

/** The claims that an object has by a policy. One that was denied is none. */
export function claimsBy(policy: string, uid: string, claims: readonly ClaimEntry[]): readonly ClaimEntry[] {
  return claims.filter(([, { automatic, state }]) => {
    if (automatic?.policy !== policy || state === "denied") return false;
    return automatic.bound === uid || automatic.candidates.includes(uid);
  });
}
