import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/** Gathers metrics at most once at a time: concurrent scrapes share the result. */
export class Scrapes {
  readonly #metrics: Metrics;
  readonly #stopped = lightAbortController();
  #inProgress: Promise<string> | undefined;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  text(): Promise<string> {
    this.#inProgress ??= this.#metrics.text(this.#stopped.signal).finally(() => {
      this.#inProgress = undefined;
    });
    return this.#inProgress;
  }

  /** Aborts a scrape in progress. */
  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the system is stopped"));
    await this.#inProgress?.catch(() => undefined);
  }
}
