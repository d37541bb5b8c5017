import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { AdmissionChain } from "./admission/admission-chain.ts";
import type { DefinitionsFrom } from "./kinds/kind-catalog.ts";
import type { Random } from "./metadata/object-name.ts";

/** The dependencies of all operations on objects. */
export interface Registry {
  readonly store: ObjectStore;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
  /** The plane whose definitions another plane inherits. Left out: none. */
  readonly definitionsFrom?: DefinitionsFrom;
  /** Whether a plane is being deleted: nothing can be created in it. */
  readonly isClosing?: (plane: string) => boolean;
}
