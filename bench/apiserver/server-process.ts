// Child process: an embedded server that reports its event loop delay and memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";

const directory = mkdtempSync(join(tmpdir(), "milo-quota-bench-"));
const serving = await serve({
  directory,
  host: "127.0.0.1",
  port: 0,
  token: "bench",
  clock: systemClock,
  report: (error) => console.error(error),
});
const delay = monitorEventLoopDelay({ resolution: 1 });
process.send?.({ url: serving.url, kubeconfig: serving.kubeconfig, readyMs: performance.now() });
process.on("message", async (request) => {
  switch (request) {
    case "reset":
      delay.enable();
      delay.reset();
      break;
    case "state":
      process.send?.({ p99Ms: delay.percentile(99) / 1e6, rssBytes: process.memoryUsage.rss() });
      break;
    default:
      await serving.stop();
      rmSync(directory, { recursive: true, force: true });
      process.disconnect();
  }
});
