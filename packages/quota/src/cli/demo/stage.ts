import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { CommandFailure } from "../command-failure.ts";
import { exitCodes } from "../exit-codes.ts";
import type { DemoObject } from "./demo-objects.ts";

const lookMs = 50;
const clearMsMax = 30_000;

/** Where the demo is played: makes objects, waits for what becomes of them, and takes its own away again. */
export class Stage {
  readonly #cluster: Cluster;
  #signal: AbortSignal;
  /** In the order in which they were made. */
  readonly #made: DemoObject[] = [];

  constructor(cluster: Cluster, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#signal = signal;
  }

  /** Resolves to the refusal, if it is refused. What is there already is used as it is. */
  async create(demo: DemoObject): Promise<string | undefined> {
    try {
      await this.#objects(demo).create(demo.object, {}, this.#signal);
      this.#made.push(demo);
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, reason, details } = error.status;
      if (reason === "AlreadyExists") return undefined;
      if (details?.causes?.some((cause) => cause.reason === "QuotaExceeded")) return error.message;
      if (code !== 404) throw error;
      throw notOurs(demo);
    }
  }

  /** Until an object is as expected; the whole demo has a time limit, so this needs none. */
  async until(demo: DemoObject, isSo: (object: AnyObject) => boolean): Promise<void> {
    for (;;) {
      const { name = "" } = demo.object.metadata;
      const found = await this.#objects(demo).find({ name }, this.#signal);
      if (found !== undefined && isSo(found)) return;
      await pause(this.#cluster.clock, lookMs, this.#signal);
    }
  }

  async remove(demo: DemoObject): Promise<void> {
    const { name = "" } = demo.object.metadata;
    try {
      await this.#objects(demo).delete({ name }, {}, this.#signal);
      while ((await this.#objects(demo).find({ name }, this.#signal)) !== undefined) {
        await pause(this.#cluster.clock, lookMs, this.#signal);
      }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
    const at = this.#made.findIndex(
      ({ type, object }) => type.plural === demo.type.plural && object.metadata.name === name,
    );
    if (at >= 0) this.#made.splice(at, 1);
  }

  /** The last that was made goes first. */
  async clear(): Promise<void> {
    // Also after the time for the demo was up.
    const patience = new AbortController();
    this.#signal = patience.signal;
    const late = new CommandFailure("not everything that the demo made could be removed", exitCodes.unreachable);
    const timer = this.#cluster.clock.after(clearMsMax, () => patience.abort(late));
    try {
      await this.#removeAll();
    } finally {
      timer.stop();
    }
  }

  async #removeAll(): Promise<void> {
    for (const demo of [...this.#made].reverse()) await this.remove(demo);
  }

  #objects({ type }: DemoObject) {
    return this.#cluster.home.resource(type, anyObject);
  }
}

function notOurs({ object }: DemoObject): CommandFailure {
  const message = `the server has no ${object.kind}s: the demo needs one that \`milo-quota up\` runs`;
  return new CommandFailure(message, exitCodes.missing, "With --in-memory the demo starts one by itself.");
}
