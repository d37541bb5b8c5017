import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { textFormat } from "../../telemetry/text-format.ts";

export interface MetricsServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly text: () => Promise<string>;
  /** Why the server is unhealthy; undefined while it is healthy. */
  readonly fault: () => string | undefined;
  /** Why it is not ready, at least while it is unhealthy. */
  readonly unready: () => string | undefined;
}

export interface MetricsServer {
  readonly url: string;
  stop(): Promise<void>;
}

class MetricsPortTaken extends Error {
  override readonly name = "MetricsPortTaken";
}

/** Only localhost, because requests are not authenticated. */
const host = "127.0.0.1";
const connectionsMax = 64;
const requestMsMax = 10_000;

/** Serves metrics and health over plain HTTP, to clients on this machine only. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const http = createServer({ requestTimeout: requestMsMax, headersTimeout: requestMsMax }, (request, response) => {
    respond(options, request, response).catch(() => response.destroy());
  });
  http.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    http.once("error", (error) => reject(portFault(error, options.port)));
    http.listen(options.port, host, resolve);
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function respond(
  { text, fault, unready }: MetricsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = (code: number, body: string, type = "text/plain; charset=utf-8"): void => {
    response.writeHead(code, { "content-type": type, "x-content-type-options": "nosniff" });
    response.end(body);
  };
  const [path] = (request.url ?? "/").split("?");
  const isKnown = path === "/metrics" || path === "/healthz" || path === "/livez" || path === "/readyz";
  if (!isKnown) return end(404, "404 page not found\n");
  if (request.method !== "GET" && request.method !== "HEAD") return end(405, "405 method not allowed\n");
  if (path === "/metrics") return end(200, await text(), textFormat);
  const reason = path === "/readyz" ? unready() : fault();
  return reason === undefined ? end(200, "ok") : end(500, `unhealthy: ${reason}\n`);
}

function portFault(error: Error, port: number): Error {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return error;
  return new MetricsPortTaken(
    `port ${port} of ${host} is in use by another program; stop that program, or choose another port with --metrics-port`,
  );
}
