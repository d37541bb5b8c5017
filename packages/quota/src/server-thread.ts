// The thread that a server runs in. The main thread handles the command line and signals.
import { once } from "node:events";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { type Start, startLogged } from "./cli/serving/server-log.ts";
import type { ServerThreadOptions, StartedServer } from "./cli/serving/start-in-thread.ts";
import { loggedStorage } from "./embedded/logged-observers.ts";
import { up } from "./embedded/up.ts";

const elapsedMs = (): number => performance.now();
const now = (): string => formatTime(systemClock.now());

const starts: Readonly<Record<ServerThreadOptions["command"], Start>> = {
  apiserver: (options, { log, report }) => {
    const onWriteProblem = loggedStorage(log);
    return serve({ ...options, clock: systemClock, report: (error) => report("server", error), onWriteProblem });
  },
  up: (options, logging) => up({ ...options, ...logging, clock: systemClock, elapsedMs }),
};

const { command, options, isTerminal } = workerData as ServerThreadOptions;
const mainThread = parentPort as MessagePort;
const form = isTerminal ? "readable" : "json";
const server = await startLogged(starts[command], { now, elapsedMs, form })(options);
const { url, token, kubeconfig, context, metricsUrl } = server;
mainThread.postMessage({ url, token, kubeconfig, context, metricsUrl } satisfies StartedServer);
await once(mainThread, "message");
await server.stop();
