import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { AdmissionChain } from "./admission/admission-chain.ts";
import type { DefinitionsFrom } from "./kinds/kind-catalog.ts";
import type { Random } from "./metadata/object-name.ts";

/** What every operation on objects works with. */
export interface Registry {
  readonly store: ObjectStore;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
  /** The plane whose definitions hold in another one as well. Left out: they hold nowhere else. */
  readonly definitionsFrom?: DefinitionsFrom;
  /** Whether a plane is on its way out: nothing is made in it any more. */
  readonly isClosing?: (plane: string) => boolean;
}
