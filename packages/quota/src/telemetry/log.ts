import { pino } from "pino";
import type { LogLevel } from "./log-levels.ts";
import { readableLine } from "./readable-line.ts";

type LogFields = Readonly<Record<string, string | number | undefined>>;

export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>;

export interface LogOptions {
  /** Minimum level that is written. */
  readonly level: LogLevel;
  /** Readable lines for terminals, or one line of JSON for each message. */
  readonly form: "readable" | "json";
  /** The current time, such as 2026-01-31T12:00:00Z. */
  readonly now: () => string;
  readonly write: (line: string) => void;
}

export function createLog({ level, form, now, write }: LogOptions): Log {
  const time = (): string => `,"time":"${now()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  const destination = { write: form === "json" ? write : (line: string) => write(readableLine(line)) };
  const logger = pino({ level, timestamp: time, formatters, base: null, messageKey: "message" }, destination);
  const at =
    (name: LogLevel) =>
    (message: string, fields: LogFields = {}): void =>
      logger[name](fields, message);
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
