// Registers the commands, and gives them the clock, the environment and the signals of the process.
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import { Command, CommanderError } from "commander";
import type { CliContext } from "./cli/cli-context.ts";
import { addCompletion } from "./cli/completion.ts";
import { exitCodes } from "./cli/exit-codes.ts";
import { addHelp } from "./cli/help.ts";
import type { ServerDeps } from "./cli/serving/serving-flags.ts";
import { shellOf } from "./cli/serving/shell-lines.ts";
import type { ServerThreadOptions } from "./cli/serving/start-in-thread.ts";

const now = (): string => formatTime(Date.now());
const elapsedMs = (): number => performance.now();

/** Help and errors of the kubectl plugin show the command that the user typed. */
const isPlugin = /^kubectl-quota(\.[a-z]+)?$/.test(basename(process.argv[1] ?? ""));
const name = isPlugin ? "kubectl quota" : "milo-quota";
const examples = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../examples" : "../examples", import.meta.url),
);

const program = new Command(name)
  .description("Quota for multi-tenant platforms, managed through the Kubernetes API")
  .exitOverride();

/** Its timers keep the process alive, unlike those of the server's clock: a command may have nothing else pending. */
const commandClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return { stop: () => clearTimeout(timer) };
  },
};
const cli: CliContext = {
  env: process.env,
  homeDir: homedir(),
  cwd: process.cwd(),
  isTerminal: process.stdin.isTTY === true,
  clock: commandClock,
  printErr: (line: string) => console.error(line),
};

/** Loads the code of a command and adds it to the program. */
type AddCommand = () => Promise<void>;

/** In the order of the help. Modules are imported on demand, so that a short command does not load a server's code. */
const commands = new Map<string, AddCommand>([
  ["validate", async () => (await import("./cli/validate.ts")).addValidate(program)],
  ["render", async () => (await import("./cli/render.ts")).addRender(program, now)],
  [
    "apiserver",
    async () => (await import("./cli/serving/apiserver.ts")).addApiserver(program, serverDeps("apiserver")),
  ],
  ["up", async () => (await import("./cli/serving/up.ts")).addUp(program, serverDeps("up"), examples)],
  ["usage", async () => (await import("./cli/usage.ts")).addUsage(program, cli)],
  ["explain", async () => (await import("./cli/explain/explain.ts")).addExplain(program, cli)],
  ["simulate-create", async () => (await import("./cli/simulate/simulate-create.ts")).addSimulateCreate(program, cli)],
  ["recount", async () => (await import("./cli/recount/recount.ts")).addRecount(program, cli)],
  ["doctor", addDoctor],
  ["token", addToken],
  ["export", async () => (await import("./cli/export/export.ts")).addExport(program, cli)],
  ["demo", async () => (await import("./cli/demo/demo.ts")).addDemo(program, cli, startServer("up"))],
  ["version", async () => (await import("./cli/version.ts")).addVersion(program, cli)],
]);

async function addDoctor(): Promise<void> {
  const doctor = await import("./cli/doctor/doctor.ts");
  const { crdOf } = await import("@milo-quota/kubernetes/schema/crd.ts");
  const { quotaKinds } = await import("./core/resources/kinds.ts");
  doctor.addDoctor(program, cli, () => quotaKinds.map((kind) => crdOf(kind) as unknown as AnyObject));
}

async function addToken(): Promise<void> {
  const token = await import("./cli/token/token.ts");
  const { issueUserToken, parseUserToken, userTokenIssues, userTokenType } = await import("./tenancy/user-token.ts");
  token.addToken(program, cli, {
    secretType: userTokenType,
    validate: userTokenIssues,
    create: (spec) => issueUserToken(spec, randomBytes),
    parse: parseUserToken,
  });
}

function startServer(command: ServerThreadOptions["command"]): ServerDeps["start"] {
  return async (options) => (await import("./cli/serving/start-in-thread.ts")).startInThread(command, options);
}

function serverDeps(command: ServerThreadOptions["command"]): ServerDeps {
  const { env, platform, argv } = process;
  const shell = shellOf({ env, platform, scriptPath: argv[1] ?? "", cwd: process.cwd() });
  return { start: startServer(command), elapsedMs, untilSignalled, shell };
}

function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    process.once("SIGHUP", () => {
      // The terminal is closed: errors of writing to it must not interrupt the shutdown.
      for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
      resolve();
    });
  });
}

/** The command that is called; without a known one, all commands, which help, completion and suggestions need. */
function commandsFor([word = "", ...others]: readonly string[]): readonly AddCommand[] {
  if (word === "help") return commandsFor(others);
  const called = commands.get(word);
  return called === undefined ? [...commands.values()] : [called];
}

/** Runs the command in the arguments of the process. */
export async function runCommand(version: string): Promise<void> {
  program.version(version, "-V, --version", "print the client version");
  for (const add of commandsFor(process.argv.slice(2))) await add();
  addCompletion(program);
  addHelp(program);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.success : exitCodes.usageError;
  }
}
