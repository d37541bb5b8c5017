import { type Command, InvalidArgumentError, Option } from "commander";
import { enforcements } from "../../core/resources/enforcement.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../../core/resources/quota-options.ts";
import { type LogLevel, logLevels } from "../../telemetry/log-levels.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Shell } from "./shell-lines.ts";

/** Options of a server that a command starts. */
export interface ServerOptions {
  readonly directory?: string;
  readonly host: string;
  readonly port: number;
  readonly token?: string;
  readonly kubeconfig?: string;
  readonly logLevel: LogLevel;
  readonly metricsPort?: number;
  readonly quota: QuotaOptions;
}

export interface RunningServer {
  readonly url: string;
  /** The administrator's bearer token. */
  readonly token: string;
  readonly kubeconfig: string | undefined;
  /** The context of the server in that kubeconfig, if it is not the current one. */
  readonly context?: string | undefined;
  /** Serves metrics without authentication. */
  readonly metricsUrl?: string | undefined;
  stop(): Promise<void>;
}

export interface ServerDeps {
  readonly start: (options: ServerOptions) => Promise<RunningServer>;
  /** Milliseconds since the process started. */
  readonly elapsedMs: () => number;
  readonly shell: Shell;
  /** Resolves when the process gets a signal to stop. */
  readonly untilSignalled: () => Promise<void>;
}

export interface ServingFlags extends Partial<QuotaOptions> {
  readonly dataDir: string;
  readonly inMemory?: boolean;
  readonly port: number;
  readonly bind: string;
  readonly token?: string;
  readonly kubeconfig?: string;
  readonly logLevel: LogLevel;
  readonly metricsPort?: number;
}

export interface BannerContext {
  readonly flags: ServingFlags;
  readonly shell: Shell;
  readonly readyMs: number;
}

export type Banner = (server: RunningServer, context: BannerContext) => string;

/** Anyone who guesses the token can do everything. */
const tokenLengthMin = 16;

/** The flags of every command that runs a server. */
export function addServingFlags(command: Command): Command {
  return command
    .option("--data-dir <directory>", "directory that stores all data", parseText, ".milo-quota")
    .option("--in-memory", "keep all data in memory; it is lost when the server stops")
    .option("--port <number>", "port to listen on; 0 picks a free one", parsePort, 6443)
    .option("--bind <address>", "address to listen on", parseText, "127.0.0.1")
    .option(
      "--token <token>",
      `bearer token of the administrator, of at least ${tokenLengthMin} characters (default: random, stored in the data directory)`,
      parseToken,
    )
    .option(
      "--kubeconfig <file>",
      "add the server to this kubeconfig, keeping its other entries (default: kubeconfig in the data directory)",
      parseText,
    )
    .addOption(new Option("--log-level <level>", "minimum log level").choices(logLevels).default("warn"));
}

export function addMetricsFlag(command: Command): Command {
  return command.option(
    "--metrics-port <number>",
    "also serve metrics on this port of 127.0.0.1, without authentication; 0 picks a free one",
    parsePort,
  );
}

export function addQuotaFlags(command: Command): Command {
  const description = "what to do with requests over quota: reject, admit with a warning, or skip the check";
  return command
    .addOption(new Option("--enforcement <mode>", description).choices(enforcements).default("Enforce"))
    .option("--advice <text>", "last sentence of every rejection, such as where to request more quota", parseAdvice);
}

/** Runs a server until the process gets a signal to stop. */
export async function serveUntilSignalled(
  flags: ServingFlags,
  { start, elapsedMs, untilSignalled, shell }: ServerDeps,
  banner: Banner,
): Promise<void> {
  try {
    const server = await start(optionsOf(flags));
    const signalled = untilSignalled(); // before the banner: whatever reads the banner may send a signal at once
    console.log(banner(server, { flags, shell, readyMs: Math.round(elapsedMs()) }));
    await signalled;
    console.log("Stopping ...");
    await server.stop();
  } catch (error) {
    console.error(`milo-quota: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = exitCodes.usageError;
  }
}

export function dataText({ dataDir, inMemory }: ServingFlags): string {
  return inMemory === true ? "in memory" : `in ${dataDir}`;
}

function optionsOf(flags: ServingFlags): ServerOptions {
  const { dataDir, inMemory, port, bind, token, kubeconfig, logLevel, metricsPort } = flags;
  return {
    logLevel,
    quota: quotaOptionsOf(flags),
    ...(metricsPort === undefined ? {} : { metricsPort }),
    ...(inMemory === true ? {} : { directory: dataDir }),
    host: bind,
    port,
    ...(token === undefined ? {} : { token }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  };
}

function quotaOptionsOf(flags: ServingFlags): QuotaOptions {
  const { enforcement, advice } = { ...defaultQuotaOptions, ...flags };
  return { enforcement, advice };
}

/** The advice is part of every rejection, which must stay readable. */
const adviceLengthMax = 500;

function parseAdvice(value: string): string {
  const text = value.trim();
  if (text === "") throw new InvalidArgumentError("must not be empty; omit the flag for the default text");
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError("must be a single line without control characters");
  if (text.length <= adviceLengthMax) return text;
  throw new InvalidArgumentError(`must have at most ${adviceLengthMax} characters, not ${text.length}`);
}

function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("must not be empty");
}

function parseToken(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError("must not be empty or contain spaces");
  if (text.length >= tokenLengthMin) return text;
  const advice = "such as one from `openssl rand -hex 32`";
  throw new InvalidArgumentError(`must have at least ${tokenLengthMin} characters, ${advice}`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("must be a port number from 0 to 65535");
}
