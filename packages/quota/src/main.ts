// The program: which commands there are, the real clock, and what happens to what goes wrong.
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { serve } from "@milo-quota/apiserver/serve.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import type { AnyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { Command, CommanderError } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { addCompletion } from "./cli/completion.ts";
import { addDemo } from "./cli/demo/demo.ts";
import { addDoctor } from "./cli/doctor/doctor.ts";
import { exitCodes } from "./cli/exit-codes.ts";
import { addExplain } from "./cli/explain/explain.ts";
import { addExport } from "./cli/export/export.ts";
import { addHelp } from "./cli/help.ts";
import { addRecount } from "./cli/recount/recount.ts";
import { addRender } from "./cli/render.ts";
import { addApiserver } from "./cli/serving/apiserver.ts";
import { startLogged } from "./cli/serving/server-log.ts";
import { shellOf } from "./cli/serving/shell-lines.ts";
import { addUp } from "./cli/serving/up.ts";
import { addSimulateCreate } from "./cli/simulate/simulate-create.ts";
import { addToken } from "./cli/token/token.ts";
import { addUsage } from "./cli/usage.ts";
import { addValidate } from "./cli/validate.ts";
import { quotaKinds } from "./core/resources/kinds.ts";
import { up } from "./embedded/up.ts";
import { makeUserToken, parseUserToken, userTokenType } from "./tenancy/user-token.ts";

// Whoever reads our output may have seen enough. What a command began it ends all the same, and says nothing of it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const now = (): string => new Date().toISOString().replace(/\.[0-9]+/, "");

/** As a plug-in of kubectl the program is called, and calls itself, by that name. */
const isPlugin = /^kubectl-quota(\.[a-z]+)?$/.test(basename(process.argv[1] ?? ""));
const name = isPlugin ? "kubectl quota" : "milo-quota";

const program = new Command(name)
  .description("A quota system for multi-tenant clouds, used through the Kubernetes API")
  .version(packageJson.version)
  .exitOverride();
addValidate(program);
addRender(program, now);
const elapsedMs = (): number => performance.now();
const ended = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
    process.once("SIGHUP", () => {
      // The terminal is gone: what is said from here on is heard by nobody, which is no reason to fail.
      for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
      resolve();
    });
  });
const shell = shellOf({
  env: process.env,
  platform: process.platform,
  started: process.argv[1] ?? "",
  currentFolder: process.cwd(),
});
addApiserver(program, {
  start: startLogged(
    (options, { report }) => serve({ ...options, clock: systemClock, report: (error) => report("server", error) }),
    { now, elapsedMs },
  ),
  elapsedMs,
  ended,
  shell,
});
addUp(
  program,
  {
    start: startLogged((options, voices) => up({ ...options, ...voices, clock: systemClock, elapsedMs }), {
      now,
      elapsedMs,
    }),
    elapsedMs,
    ended,
    shell,
  },
  fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../../examples" : "../examples", import.meta.url)),
);
/** Commands wait for what they wait for: nothing else keeps the process from ending. */
const patientClock: Clock = {
  now: systemClock.now,
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return { stop: () => clearTimeout(timer) };
  },
};
const surroundings = {
  env: process.env,
  homeFolder: homedir(),
  currentFolder: process.cwd(),
  hasTerminal: process.stdin.isTTY === true,
  clock: patientClock,
  note: (text: string) => console.error(text),
};
addUsage(program, surroundings);
addExplain(program, surroundings);
addSimulateCreate(program, surroundings);
addRecount(program, surroundings);
addDoctor(program, surroundings, () => quotaKinds.map((kind) => crdOf(kind) as unknown as AnyObject));
addToken(program, surroundings, {
  secretType: userTokenType,
  make: (order) => makeUserToken(order, randomBytes),
  parse: parseUserToken,
});
addExport(program, surroundings);
addDemo(program, surroundings, {
  start: () =>
    up({
      host: "127.0.0.1",
      port: 0,
      clock: systemClock,
      elapsedMs,
      report: (where, error) => console.error(where, error),
    }),
});
addCompletion(program);
addHelp(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.unusable;
}
