import { ErrorReports } from "../telemetry/error-reports.ts";
import { createLog, type LogLevel } from "../telemetry/log.ts";
import type { RunningServer, ServerOptions } from "./serving-flags.ts";

type Report = (where: string, error: unknown) => void;
type Start = (options: Omit<ServerOptions, "logLevel">, report: Report) => Promise<RunningServer>;

export interface LogPorts {
  /** The time as text. */
  readonly now: () => string;
  readonly elapsedMs: () => number;
}

/** Starts a server whose complaints go to the error output: for people if that is a terminal, else as lines of JSON. */
export function startLogged(start: Start, ports: LogPorts): (options: ServerOptions) => Promise<RunningServer> {
  return async ({ logLevel, ...options }) => {
    const errors = errorOutput(logLevel, ports);
    const server = await start(options, errors.report);
    const stop = async (): Promise<void> => {
      await server.stop();
      errors.flush();
    };
    return { ...server, stop };
  };
}

function errorOutput(level: LogLevel, { now, elapsedMs }: LogPorts): ErrorReports {
  const form = process.stderr.isTTY ? "readable" : "json";
  const write = (line: string): void => {
    process.stderr.write(line);
  };
  return new ErrorReports(createLog({ level, form, now, write }), elapsedMs);
}
