import { UnreadableObject } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Runtime } from "../../views/runtime.ts";
import { withTimeout } from "../with-timeout.ts";
import { GrantNameTaken } from "./grant-writer.ts";

/** The last call to this control plane failed without a response, and the next probe is not due yet. */
class PlaneUnreachable extends Error {
  override readonly name = "PlaneUnreachable";

  constructor(plane: string) {
    super(`control plane "${plane}" does not respond`);
  }
}

/** How often an unresponsive control plane is probed. */
const probeMs = 20_000;

/**
 * Calls control planes with a timeout. An unresponsive one is probed by one caller at a time; the others fail at once, so
 * that they do not occupy workers that could serve other control planes.
 */
export class PlaneCircuitBreaker {
  readonly #runtime: Pick<Runtime, "clock" | "elapsedMs">;
  /** When the next probe of an unresponsive control plane is due. */
  readonly #probeAtMs = new Map<string, number>();

  constructor(runtime: Pick<Runtime, "clock" | "elapsedMs">) {
    this.#runtime = runtime;
  }

  async call<Value>(plane: string, signal: AbortSignal, work: (limit: AbortSignal) => Promise<Value>): Promise<Value> {
    const nowMs = this.#runtime.elapsedMs();
    const probeAtMs = this.#probeAtMs.get(plane);
    if (probeAtMs !== undefined && nowMs < probeAtMs) throw new PlaneUnreachable(plane);
    if (probeAtMs !== undefined) this.#probeAtMs.set(plane, nowMs + probeMs);
    try {
      const value = await withTimeout(this.#runtime.clock, signal, work);
      this.#probeAtMs.delete(plane);
      return value;
    } catch (error) {
      if (isResponse(error)) this.#probeAtMs.delete(plane);
      else if (!signal.aborted) this.#probeAtMs.set(plane, this.#runtime.elapsedMs() + probeMs);
      throw error;
    }
  }
}

/** An error response still proves that the control plane responds. */
function isResponse(error: unknown): boolean {
  return error instanceof StatusError || error instanceof UnreadableObject || error instanceof GrantNameTaken;
}
