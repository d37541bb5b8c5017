import { ErrorReports } from "../../telemetry/error-reports.ts";
import { createLog, type Log, type LogOptions } from "../../telemetry/log.ts";
import type { LogLevel } from "../../telemetry/log-levels.ts";
import type { RunningServer, ServerOptions } from "./serving-flags.ts";

/** The log of a server, and its error reporter, which limits repeated errors. */
interface ServerLogging {
  readonly log: Log;
  readonly report: (where: string, error: unknown) => void;
}

export type Start = (options: Omit<ServerOptions, "logLevel">, logging: ServerLogging) => Promise<RunningServer>;

export interface LogDeps {
  /** The time as an RFC 3339 text. */
  readonly now: () => string;
  readonly elapsedMs: () => number;
  readonly form: LogOptions["form"];
}

/** Wraps the start of a server so that it logs to stderr. */
export function startLogged(start: Start, deps: LogDeps): (options: ServerOptions) => Promise<RunningServer> {
  return async ({ logLevel, ...options }) => {
    const log = stderrLog(logLevel, deps);
    const errors = new ErrorReports(log, deps.elapsedMs);
    const stopReporting = reportUnhandledRejections(errors);
    try {
      const server = await start(options, { log, report: errors.report });
      log.info(`serving at ${server.url}`);
      const stop = async (): Promise<void> => {
        log.info("stopping");
        await server.stop();
        errors.flush();
        log.info("stopped");
        stopReporting();
      };
      return { ...server, stop };
    } catch (error) {
      stopReporting();
      throw error;
    }
  };
}

/**
 * An unhandled rejection is a bug in one request or one reconciliation. It is logged, and does not end the process, which
 * serves other requests.
 */
function reportUnhandledRejections({ report }: ErrorReports): () => void {
  const onRejection = (error: unknown): void => report("unhandled rejection", error);
  process.on("unhandledRejection", onRejection);
  return () => process.off("unhandledRejection", onRejection);
}

function stderrLog(level: LogLevel, { now, form }: LogDeps): Log {
  const write = (line: string): void => {
    process.stderr.write(line);
  };
  return createLog({ level, form, now, write });
}
