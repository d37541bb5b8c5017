// The command line: which commands there are, the real clock, and what ends a server.
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import { Command, CommanderError } from "commander";
import type { Surroundings } from "./cli/cluster/chosen-access.ts";
import { addCompletion } from "./cli/completion.ts";
import { exitCodes } from "./cli/exit-codes.ts";
import { addHelp } from "./cli/help.ts";
import type { ServerPorts } from "./cli/serving/serving-flags.ts";
import { shellOf } from "./cli/serving/shell-lines.ts";
import type { ServerOrder } from "./cli/serving/start-in-thread.ts";

const now = (): string => timeText(Date.now());
const elapsedMs = (): number => performance.now();

/** As a plug-in of kubectl the program is called, and calls itself, by that name. */
const isPlugin = /^kubectl-quota(\.[a-z]+)?$/.test(basename(process.argv[1] ?? ""));
const name = isPlugin ? "kubectl quota" : "milo-quota";
const examples = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../../examples" : "../examples", import.meta.url),
);

const program = new Command(name)
  .description("A quota system for multi-tenant clouds, used through the Kubernetes API")
  .exitOverride();

/** Commands wait for what they wait for: nothing else keeps the process from ending. */
const patientClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return { stop: () => clearTimeout(timer) };
  },
};
const surroundings: Surroundings = {
  env: process.env,
  homeFolder: homedir(),
  currentFolder: process.cwd(),
  hasTerminal: process.stdin.isTTY === true,
  clock: patientClock,
  note: (text: string) => console.error(text),
};

/** Loads the code of a command, and adds it to the program. */
type AddCommand = () => Promise<void>;

/** In the order of the help. Imports are made on demand, so that a short command does not wait for a server's code. */
const commands = new Map<string, AddCommand>([
  ["validate", async () => (await import("./cli/validate.ts")).addValidate(program)],
  ["render", async () => (await import("./cli/render.ts")).addRender(program, now)],
  [
    "apiserver",
    async () => (await import("./cli/serving/apiserver.ts")).addApiserver(program, serverPorts("apiserver")),
  ],
  ["up", async () => (await import("./cli/serving/up.ts")).addUp(program, serverPorts("up"), examples)],
  ["usage", async () => (await import("./cli/usage.ts")).addUsage(program, surroundings)],
  ["explain", async () => (await import("./cli/explain/explain.ts")).addExplain(program, surroundings)],
  [
    "simulate-create",
    async () => (await import("./cli/simulate/simulate-create.ts")).addSimulateCreate(program, surroundings),
  ],
  ["recount", async () => (await import("./cli/recount/recount.ts")).addRecount(program, surroundings)],
  ["doctor", addDoctor],
  ["token", addToken],
  ["export", async () => (await import("./cli/export/export.ts")).addExport(program, surroundings)],
  ["demo", async () => (await import("./cli/demo/demo.ts")).addDemo(program, surroundings, startOf("up"))],
]);

async function addDoctor(): Promise<void> {
  const doctor = await import("./cli/doctor/doctor.ts");
  const { crdOf } = await import("@milo-quota/kubernetes/schema/crd.ts");
  const { quotaKinds } = await import("./core/resources/kinds.ts");
  doctor.addDoctor(program, surroundings, () => quotaKinds.map((kind) => crdOf(kind) as unknown as AnyObject));
}

async function addToken(): Promise<void> {
  const token = await import("./cli/token/token.ts");
  const { makeUserToken, parseUserToken, userTokenType } = await import("./tenancy/user-token.ts");
  token.addToken(program, surroundings, {
    secretType: userTokenType,
    make: (order) => makeUserToken(order, randomBytes),
    parse: parseUserToken,
  });
}

function startOf(command: ServerOrder["command"]): ServerPorts["start"] {
  return async (options) => (await import("./cli/serving/start-in-thread.ts")).startInThread(command, options);
}

function serverPorts(command: ServerOrder["command"]): ServerPorts {
  const { env, platform, argv } = process;
  const shell = shellOf({ env, platform, started: argv[1] ?? "", currentFolder: process.cwd() });
  return { start: startOf(command), elapsedMs, ended, shell };
}

function ended(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    process.once("SIGHUP", () => {
      // The terminal is gone, and writing to it fails, which is no reason to stop in disorder.
      for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
      resolve();
    });
  });
}

/** Without a command, all of them: for the list in the help, for completion, and to suggest one for a mistyped name. */
function commandsFor([word = "", ...others]: readonly string[]): readonly AddCommand[] {
  if (word === "help") return commandsFor(others);
  const named = commands.get(word);
  return named === undefined ? [...commands.values()] : [named];
}

/** Runs the command that the arguments of the process name. */
export async function runCommand(version: string): Promise<void> {
  program.version(version);
  for (const add of commandsFor(process.argv.slice(2))) await add();
  addCompletion(program);
  addHelp(program);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.unusable;
  }
}
