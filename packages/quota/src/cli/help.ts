import type { Command } from "commander";

/** `help token create` as well as `help usage`. To be added when all other commands are there. */
export function addHelp(program: Command): void {
  const name = program.name();
  program
    .helpCommand(false)
    .command("help")
    .description("show the flags of a command, with examples")
    .argument("[command...]", "the command")
    .addHelpText("after", `\nExamples:\n  ${name} help usage\n  ${name} help token create`)
    .action((words: readonly string[]) => named(program, words).help());
  pointToHelp(program, []);
}

function named(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return command.error(`error: unknown command '${words.join(" ")}'`);
    command = next;
  }
  return command;
}

/** Whoever gets a command wrong is shown where that command is explained. */
function pointToHelp(command: Command, path: readonly string[]): void {
  let program = command;
  while (program.parent !== null) program = program.parent;
  const asked = [program.name(), "help", ...path].join(" ");
  command.showHelpAfterError(`(${asked} shows ${path.length === 0 ? "what there is" : "how it is used"})`);
  for (const each of command.commands) pointToHelp(each, [...path, each.name()]);
}
