import { Argument, type Command } from "commander";

/** A word that can stand at a place, and what it does. */
interface Word {
  readonly word: string;
  readonly says: string;
}

interface Flag extends Word {
  /** What can follow it, where that is one of a few words. */
  readonly values: readonly string[];
}

/** What can follow a command: further commands, and flags. */
interface Place {
  /** The commands so far, without the program. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  /** What can stand as its first argument, where that is one of a few words. */
  readonly args: readonly Word[];
  readonly flags: readonly Flag[];
}

const shells = ["bash", "zsh", "fish"] as const;

export function addCompletion(program: Command): void {
  const name = program.name();
  program
    .command("completion")
    .description("print a script that completes commands and flags in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText(
      "after",
      `
Examples:
  source <(${name} completion bash)
  ${name} completion zsh > "\${fpath[1]}/_milo-quota"
  ${name} completion fish > ~/.config/fish/completions/milo-quota.fish`,
    )
    .action((shell: (typeof shells)[number]) => console.log(scripts[shell](placesIn(program)).trimEnd()));
}

/** The program and all its commands, from what they say of themselves: nothing has to be kept in step. */
function placesIn(command: Command, path: readonly string[] = []): readonly Place[] {
  const help = command.createHelp();
  const place = {
    path,
    commands: help.visibleCommands(command).map((each) => ({ word: each.name(), says: each.description() })),
    args: (command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, says: "" })),
    flags: help
      .visibleOptions(command)
      .flatMap(({ long, short, description, argChoices = [] }) =>
        [long, short].flatMap((word) =>
          word === null || word === undefined ? [] : [{ word, says: description, values: argChoices }],
        ),
      ),
  };
  return [place, ...command.commands.flatMap((each) => placesIn(each, [...path, each.name()]))];
}

/** What can follow a flag, by all the words that lead to it. */
function valuesIn(places: readonly Place[]): readonly (readonly [typed: string, values: readonly string[]])[] {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, values }) => (values.length === 0 ? [] : [[[...path, word].join(" "), values] as const])),
  );
}

const scripts = { bash, zsh, fish } as const;

function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, args, flags }) => {
    const words = [...commands, ...args, ...flags].map(({ word }) => word).join(" ");
    return `    ${JSON.stringify(path.join(" "))}) words=${JSON.stringify(words)} ;;`;
  });
  const values = valuesIn(places).map(([typed, words]) => `    "${typed}") words="${words.join(" ")}" ;;`);
  return `# Completion of milo-quota for bash.
_milo_quota() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _milo_quota milo-quota kubectl-quota
`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, args, flags }) => {
    const words = [...commands, ...args, ...flags].map(({ word, says }) =>
      zshQuoted(`${word.replaceAll(":", "\\:")}:${says}`),
    );
    return `    ${JSON.stringify(path.join(" "))}) entries=(${words.join(" ")}) ;;`;
  });
  const values = valuesIn(places).map(([typed, words]) => `    "${typed}") entries=(${words.join(" ")}) ;;`);
  return `#compdef milo-quota kubectl-quota
# Completion of milo-quota for zsh.
_milo_quota() {
  local joined="" word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) break ;; *) joined="\${joined:+$joined }$word" ;; esac
  done
  case "$joined" in
${cases.join("\n")}
  esac
  case "$joined \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  if (( \${#entries} )); then _describe 'milo-quota' entries; else _files; fi
}
if [ "$funcstack[1]" = "_milo_quota" ]; then _milo_quota "$@"; else compdef _milo_quota milo-quota kubectl-quota; fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, args, flags }) => {
    const inner = commands.map(({ word }) => word).join(" ");
    const at = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const before = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${inner}`];
    const when = [...at, ...before].join("; and ") || "true";
    const words = [...commands, ...args].map(({ word, says }) => line(when, `-f -a ${word}`, says));
    const options = flags.map(({ word, says, values }) => {
      const flag = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
      return line(when, values.length === 0 ? flag : `${flag} -x -a ${fishQuoted(values.join(" "))}`, says);
    });
    return [...words, ...options];
  });
  return `# Completion of milo-quota for fish.\n${lines.join("\n")}\n`;
}

function line(when: string, what: string, says: string): string {
  return `complete -c milo-quota -n ${fishQuoted(when)} ${what} -d ${fishQuoted(says)}`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
