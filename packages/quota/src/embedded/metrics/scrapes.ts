import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** Whoever asks for metrics while they are being gathered gets the same ones: it is never done twice at a time. */
export class Scrapes {
  readonly #metrics: Metrics;
  readonly #stopped = sharedAbort();
  #underWay: Promise<string> | undefined;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  text(): Promise<string> {
    this.#underWay ??= this.#metrics.text(this.#stopped.signal).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  /** Gives up what is being gathered. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the system is stopped"));
    await this.#underWay?.catch(() => undefined);
  }
}
