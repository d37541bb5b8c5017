import { type AnyObject, anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import type { DemoObject } from "./demo-objects.ts";

const pollMs = 50;
const cleanupMsMax = 30_000;

/** Creates the objects of the demo, waits for their conditions, and deletes those that it created. */
export class DemoSession {
  readonly #cluster: Cluster;
  #signal: AbortSignal;
  /** In the order of creation. */
  readonly #created: DemoObject[] = [];

  constructor(cluster: Cluster, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#signal = signal;
  }

  /** Resolves to the message if the server rejects the object for quota. An existing object is used as it is. */
  async create(demo: DemoObject): Promise<string | undefined> {
    try {
      await this.#objects(demo).create(demo.object, {}, this.#signal);
      this.#created.push(demo);
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, reason, details } = error.status;
      if (reason === "AlreadyExists") return undefined;
      if (details?.causes?.some((cause) => cause.reason === "QuotaExceeded")) return error.message;
      if (code !== 404) throw error;
      throw kindNotServed(demo);
    }
  }

  /** Polls an object without a limit of its own: the request timeout bounds the whole demo. */
  async waitUntil(demo: DemoObject, condition: (object: AnyObject) => boolean): Promise<void> {
    for (;;) {
      const { name = "" } = demo.object.metadata;
      const found = await this.#objects(demo).find({ name }, this.#signal);
      if (found !== undefined && condition(found)) return;
      await sleep(this.#cluster.clock, pollMs, this.#signal);
    }
  }

  /** Resolves when the object is gone. */
  async delete(demo: DemoObject): Promise<void> {
    const { name = "" } = demo.object.metadata;
    try {
      await this.#objects(demo).delete({ name }, {}, this.#signal);
      while ((await this.#objects(demo).find({ name }, this.#signal)) !== undefined) {
        await sleep(this.#cluster.clock, pollMs, this.#signal);
      }
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
    const index = this.#created.findIndex(
      ({ type, object }) => type.plural === demo.type.plural && object.metadata.name === name,
    );
    if (index >= 0) this.#created.splice(index, 1);
  }

  /** Deletes the created objects in reverse order. */
  async cleanUp(): Promise<void> {
    // A timeout of its own, because the demo may have ended by the request timeout.
    const timeout = new AbortController();
    this.#signal = timeout.signal;
    const timedOut = new CommandError("could not delete all objects of the demo", exitCodes.unreachable);
    const timer = this.#cluster.clock.after(cleanupMsMax, () => timeout.abort(timedOut));
    try {
      for (const demo of [...this.#created].reverse()) await this.delete(demo);
    } finally {
      timer.stop();
    }
  }

  #objects({ type }: DemoObject) {
    return this.#cluster.root.resource(type, anyObject);
  }
}

function kindNotServed({ object }: DemoObject): CommandError {
  const message = `the server does not serve ${object.kind}s: the demo needs a server started with \`milo-quota up\``;
  return new CommandError(message, exitCodes.notFound, "With --in-memory, the demo starts its own server.");
}
