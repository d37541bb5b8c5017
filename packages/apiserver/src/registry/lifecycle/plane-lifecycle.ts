import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Registry } from "../registry.ts";

/** The error in a plane that is being deleted, the same as in one that does not exist. */
const planeGone = failure("NotFound", "the server could not find the requested resource");

/** Nothing can be created in a plane that is being deleted. */
export function requirePlane({ isClosing }: Pick<Registry, "isClosing">, plane: string): void {
  if (isClosing?.(plane) === true) throw new StatusError(planeGone);
}
