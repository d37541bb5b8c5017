import { connect } from "node:http2";
import type { Target } from "./load.ts";

/** Many watches of one resource over one connection. Each checks that its events are complete and in order. */
export async function watchWith(target: Target, count: number) {
  const session = connect(target.url, { ca: target.ca });
  session.setMaxListeners(0);
  const watches = Array.from({ length: count }, () => new Watch());
  await Promise.all(watches.map((watch) => watch.open(session, target.token)));
  return {
    /** Settles when every watch has received this many events. */
    async receive(events: number): Promise<void> {
      await Promise.all(watches.map((watch) => watch.until(events)));
    },
    faults: (): number => watches.reduce((sum, watch) => sum + watch.faults, 0),
    close: () => session.destroy(),
  };
}

class Watch {
  #rest = "";
  #count = 0;
  #revision = 0;
  faults = 0;
  #wanted: { readonly events: number; readonly reached: () => void } | undefined;

  open(session: ReturnType<typeof connect>, token: string): Promise<void> {
    const events = session.request({
      ":path": "/api/v1/namespaces/kube-public/configmaps?watch=true",
      authorization: `Bearer ${token}`,
    });
    events.setEncoding("utf8");
    events.on("data", (chunk: string) => this.#take(chunk));
    return new Promise((resolve, reject) => {
      events.once("response", () => resolve());
      events.once("error", reject);
    });
  }

  until(events: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wanted = { events, reached: resolve };
      this.#check();
    });
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const revision = Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1]);
      if (!(revision > this.#revision)) this.faults += 1;
      this.#revision = revision;
      this.#count += 1;
    }
    this.#check();
  }

  #check(): void {
    if (this.#wanted !== undefined && this.#count >= this.#wanted.events) this.#wanted.reached();
  }
}
