import type { Command } from "commander";

/** `help token create` as well as `help usage`. Call it after all other commands were added. */
export function addHelp(program: Command): void {
  const name = program.name();
  program
    .helpCommand(false)
    .command("help")
    .description("show help for a command")
    .argument("[command...]", "name of the command")
    .addHelpText("after", `\nExamples:\n  ${name} help usage\n  ${name} help token create`)
    .action((words: readonly string[]) => findCommand(program, words).help());
  addHelpHints(program, []);
}

function findCommand(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) return command.error(`error: unknown command '${words.join(" ")}'`);
    command = next;
  }
  return command;
}

/** Usage errors end with the help command to run, as kubectl's do. */
function addHelpHints(command: Command, path: readonly string[]): void {
  let program = command;
  while (program.parent !== null) program = program.parent;
  const help = [program.name(), "help", ...path].join(" ");
  command.showHelpAfterError(`See '${help}' for ${path.length === 0 ? "a list of commands" : "usage"}.`);
  for (const each of command.commands) addHelpHints(each, [...path, each.name()]);
}
