import { ErrorReports } from "../../telemetry/error-reports.ts";
import { createLog, type Log, type LogOptions } from "../../telemetry/log.ts";
import type { LogLevel } from "../../telemetry/log-levels.ts";
import type { RunningServer, ServerOptions } from "./serving-flags.ts";

/** Where a server says what happens, and what goes wrong. */
interface Voices {
  readonly log: Log;
  readonly report: (where: string, error: unknown) => void;
}

export type Start = (options: Omit<ServerOptions, "logLevel">, voices: Voices) => Promise<RunningServer>;

export interface LogPorts {
  /** The time as text. */
  readonly now: () => string;
  readonly elapsedMs: () => number;
  readonly form: LogOptions["form"];
}

/** Starts a server whose voice goes to the error output. */
export function startLogged(start: Start, ports: LogPorts): (options: ServerOptions) => Promise<RunningServer> {
  return async ({ logLevel, ...options }) => {
    const log = errorOutput(logLevel, ports);
    const errors = new ErrorReports(log, ports.elapsedMs);
    const hush = reportForgotten(errors);
    try {
      const server = await start(options, { log, report: errors.report });
      log.info(`serving at ${server.url}`);
      const stop = async (): Promise<void> => {
        log.info("stopping");
        await server.stop();
        errors.flush();
        log.info("stopped");
        hush();
      };
      return { ...server, stop };
    } catch (error) {
      hush();
      throw error;
    }
  };
}

/**
 * A failure that nobody waits for is a mistake of ours, in one request or one round of a controller, which comes again:
 * it is told, and no reason to end everybody else's requests.
 */
function reportForgotten({ report }: ErrorReports): () => void {
  const forgotten = (error: unknown): void => report("nobody waited for this", error);
  process.on("unhandledRejection", forgotten);
  return () => process.off("unhandledRejection", forgotten);
}

function errorOutput(level: LogLevel, { now, form }: LogPorts): Log {
  const write = (line: string): void => {
    process.stderr.write(line);
  };
  return createLog({ level, form, now, write });
}
