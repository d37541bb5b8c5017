import { type Command, InvalidArgumentError, Option } from "commander";
import { enforcements } from "../../core/resources/enforcement.ts";
import { defaultQuotaOptions, type QuotaOptions } from "../../core/resources/quota-options.ts";
import { type LogLevel, logLevels } from "../../telemetry/log-levels.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Shell } from "./shell-lines.ts";

/** What the commands that serve ask of the program, which alone knows the server. */
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
  /** Of the administrator. */
  readonly token: string;
  readonly kubeconfig: string | undefined;
  /** The context to choose in that kubeconfig, where another one is chosen. */
  readonly context?: string | undefined;
  /** Where metrics are to be read without a token. */
  readonly metricsUrl?: string | undefined;
  stop(): Promise<void>;
}

export interface ServerPorts {
  readonly start: (options: ServerOptions) => Promise<RunningServer>;
  /** Milliseconds since the process began. */
  readonly elapsedMs: () => number;
  /** What can be typed in a shell here to use the server. */
  readonly shell: Shell;
  /** Settles when the process is asked to end. */
  readonly ended: () => Promise<void>;
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

/** What there is to say of a server beside where it is. */
export interface WelcomeContext {
  readonly flags: ServingFlags;
  readonly shell: Shell;
  readonly readyMs: number;
}

export type Welcome = (server: RunningServer, context: WelcomeContext) => string;

/** The flags of every command that serves. */
export function withServingFlags(command: Command): Command {
  return command
    .option("--data-dir <folder>", "where everything is kept", readText, ".milo-quota")
    .option("--in-memory", "keep nothing: everything is gone when the server ends")
    .option("--port <number>", "the port to listen on; 0 for any free one", readPort, 6443)
    .option("--bind <address>", "the address to listen on", readText, "127.0.0.1")
    .option("--token <token>", "the token of the administrator (default: random, kept in the data folder)", readToken)
    .option(
      "--kubeconfig <file>",
      "write how to reach the server into this kubeconfig, beside what is in it (default: kubeconfig in the data folder)",
      readText,
    )
    .addOption(new Option("--log-level <level>", "what is worth a line").choices(logLevels).default("warn"));
}

/** The flag of those that have metrics. */
export function withMetricsFlag(command: Command): Command {
  return command.option(
    "--metrics-port <number>",
    "serve metrics on this port of 127.0.0.1 as well, without a token; 0 for any free one",
    readPort,
  );
}

/** The flags of those that enforce quota. */
export function withQuotaFlags(command: Command): Command {
  const says = "what becomes of what does not fit: refused, let in with a warning, or not looked at";
  return command
    .addOption(new Option("--enforcement <mode>", says).choices(enforcements).default("Enforce"))
    .option("--advice <text>", "how refusals end: what people can do when quota is not enough", readAdvice);
}

/** Serves until the process is asked to end. */
export async function serveUntilEnded(
  flags: ServingFlags,
  { start, elapsedMs, ended, shell }: ServerPorts,
  welcome: Welcome,
): Promise<void> {
  try {
    const server = await start(optionsOf(flags));
    const end = ended(); // whoever has read the welcome may end it
    console.log(welcome(server, { flags, shell, readyMs: Math.round(elapsedMs()) }));
    await end;
    console.log("Stopping ...");
    await server.stop();
  } catch (error) {
    console.error(`milo-quota: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = exitCodes.unusable;
  }
}

export function placeText({ dataDir, inMemory }: ServingFlags): string {
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

/** It is part of every refusal, which has to stay something that people read. */
const adviceLengthMax = 500;

function readAdvice(given: string): string {
  const text = given.trim();
  if (text === "") throw new InvalidArgumentError("it says nothing; leave the flag out for the usual text");
  if (/\p{Cc}/u.test(text)) throw new InvalidArgumentError("it must be one line, without control characters");
  if (text.length <= adviceLengthMax) return text;
  throw new InvalidArgumentError(`it has ${text.length} characters; at most ${adviceLengthMax} are read by anybody`);
}

function readText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("it must not be empty");
}

function readToken(text: string): string {
  if (/^\S+$/.test(text)) return text;
  throw new InvalidArgumentError("a token must not be empty, and has no spaces");
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("a port is a number from 0 to 65535");
}
