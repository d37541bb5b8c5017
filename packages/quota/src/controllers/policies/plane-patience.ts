import { UnreadableObject } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Runtime } from "../../views/runtime.ts";
import { inTime } from "../in-time.ts";
import { GrantNameTaken } from "./grant-writer.ts";

/** A plane did not answer a moment ago, and is not asked again just now. */
class PlaneSilent extends Error {
  override readonly name = "PlaneSilent";

  constructor(plane: string) {
    super(`control plane "${plane}" does not answer`);
  }
}

/** How often a plane that does not answer is asked whether it does again. */
const probeMs = 20_000;

/**
 * Asks planes for things, in time. One that does not answer is tried by one caller at a time: all others would wait for
 * nothing, and keep those waiting who want something of other planes.
 */
export class PlanePatience {
  readonly #runtime: Pick<Runtime, "clock" | "elapsedMs">;
  /** When a silent plane is tried again. */
  readonly #probeAtMs = new Map<string, number>();

  constructor(runtime: Pick<Runtime, "clock" | "elapsedMs">) {
    this.#runtime = runtime;
  }

  async ask<Value>(plane: string, signal: AbortSignal, work: (life: AbortSignal) => Promise<Value>): Promise<Value> {
    const nowMs = this.#runtime.elapsedMs();
    const probeAtMs = this.#probeAtMs.get(plane);
    if (probeAtMs !== undefined && nowMs < probeAtMs) throw new PlaneSilent(plane);
    if (probeAtMs !== undefined) this.#probeAtMs.set(plane, nowMs + probeMs);
    try {
      const answer = await inTime(this.#runtime.clock, signal, work);
      this.#probeAtMs.delete(plane);
      return answer;
    } catch (error) {
      if (isAnswer(error)) this.#probeAtMs.delete(plane);
      else if (!signal.aborted) this.#probeAtMs.set(plane, this.#runtime.elapsedMs() + probeMs);
      throw error;
    }
  }
}

/** Not every answer is the one that was hoped for. */
function isAnswer(error: unknown): boolean {
  return error instanceof StatusError || error instanceof UnreadableObject || error instanceof GrantNameTaken;
}
