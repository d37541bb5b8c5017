import { Argument, type Command } from "commander";

interface Candidate {
  readonly word: string;
  readonly description: string;
}

interface Flag extends Candidate {
  /** The allowed values; empty if any value is. */
  readonly values: readonly string[];
}

/** The candidates after a command. */
interface CommandNode {
  /** The command and its parents, without the program. */
  readonly path: readonly string[];
  readonly commands: readonly Candidate[];
  /** The allowed values of the first argument; empty if any value is. */
  readonly args: readonly Candidate[];
  readonly flags: readonly Flag[];
}

const shells = ["bash", "zsh", "fish"] as const;

export function addCompletion(program: Command): void {
  const name = program.name();
  program
    .command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("<shell>", "name of the shell").choices(shells))
    .addHelpText(
      "after",
      `
Examples:
  source <(${name} completion bash)
  ${name} completion zsh > "\${fpath[1]}/_milo-quota"
  ${name} completion fish > ~/.config/fish/completions/milo-quota.fish`,
    )
    .action((shell: (typeof shells)[number]) => console.log(scripts[shell](nodesOf(program)).trimEnd()));
}

/** The program and all its commands, read from commander, so that completion is never out of date. */
function nodesOf(command: Command, path: readonly string[] = []): readonly CommandNode[] {
  const help = command.createHelp();
  const node = {
    path,
    commands: help.visibleCommands(command).map((each) => ({ word: each.name(), description: each.description() })),
    args: (command.registeredArguments[0]?.argChoices ?? []).map((word) => ({ word, description: "" })),
    flags: help
      .visibleOptions(command)
      .flatMap(({ long, short, description, argChoices = [] }) =>
        [long, short].flatMap((word) =>
          word === null || word === undefined ? [] : [{ word, description, values: argChoices }],
        ),
      ),
  };
  return [node, ...command.commands.flatMap((each) => nodesOf(each, [...path, each.name()]))];
}

/** The allowed values of flags, by the words of the command and the flag. */
function flagValues(nodes: readonly CommandNode[]): readonly (readonly [typed: string, values: readonly string[]])[] {
  return nodes.flatMap(({ path, flags }) =>
    flags.flatMap(({ word, values }) => (values.length === 0 ? [] : [[[...path, word].join(" "), values] as const])),
  );
}

const scripts = { bash, zsh, fish } as const;

function bash(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(({ path, commands, args, flags }) => {
    const words = [...commands, ...args, ...flags].map(({ word }) => word).join(" ");
    return `    ${JSON.stringify(path.join(" "))}) words=${JSON.stringify(words)} ;;`;
  });
  const values = flagValues(nodes).map(([typed, words]) => `    "${typed}") words="${words.join(" ")}" ;;`);
  return `# bash completion for milo-quota
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

function zsh(nodes: readonly CommandNode[]): string {
  const cases = nodes.map(({ path, commands, args, flags }) => {
    const words = [...commands, ...args, ...flags].map(({ word, description }) =>
      zshQuoted(`${word.replaceAll(":", "\\:")}:${description}`),
    );
    return `    ${JSON.stringify(path.join(" "))}) entries=(${words.join(" ")}) ;;`;
  });
  const values = flagValues(nodes).map(([typed, words]) => `    "${typed}") entries=(${words.join(" ")}) ;;`);
  return `#compdef milo-quota kubectl-quota
# zsh completion for milo-quota
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

function fish(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap(({ path, commands, args, flags }) => {
    const inner = commands.map(({ word }) => word).join(" ");
    const at = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const before = commands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${inner}`];
    const when = [...at, ...before].join("; and ") || "true";
    const words = [...commands, ...args].map(({ word, description }) => line(when, `-f -a ${word}`, description));
    const options = flags.map(({ word, description, values }) => {
      const flag = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
      return line(when, values.length === 0 ? flag : `${flag} -x -a ${fishQuoted(values.join(" "))}`, description);
    });
    return [...words, ...options];
  });
  return `# fish completion for milo-quota\n${lines.join("\n")}\n`;
}

function line(when: string, candidate: string, description: string): string {
  return `complete -c milo-quota -n ${fishQuoted(when)} ${candidate} -d ${fishQuoted(description)}`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
