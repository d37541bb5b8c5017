import type { ObjectChange } from "./object-change.ts";
import type { WaitResult } from "./waiter.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";

/** Hears of what admission decides. */
export interface AdmissionListener {
  granted?(policy: ClaimPolicy, change: ObjectChange): void;
  refused?(policy: ClaimPolicy, change: ObjectChange, error: unknown): void;
  /** A policy that only watches would have refused. */
  shadowed?(policy: ClaimPolicy, change: ObjectChange): void;
  /** A policy could not be evaluated. */
  failed?(policy: ClaimPolicy, change: ObjectChange): void;
  /** A condition asked for something that is not there. */
  missingKey?(policy: ClaimPolicy): void;
  waiting?(): void;
  waited?(result: WaitResult["result"], ms: number): void;
}
