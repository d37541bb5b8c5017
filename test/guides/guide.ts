// Parses a guide into the files that it shows and the commands that readers run.

/** One file or command of a guide. Lines are counted from 1, as in editors. */
export type Step =
  | { readonly kind: "file"; readonly line: number; readonly name: string; readonly text: string }
  | { readonly kind: "command"; readonly line: number; readonly command: string; readonly shown: readonly string[] };

interface Block {
  readonly language: string;
  /** Of the first line inside. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Languages of shell blocks, which the test does not run: only console blocks may contain commands. */
const commandLanguages: ReadonlySet<string> = new Set(["sh", "bash", "shell", "zsh"]);

/** A first line such as `# examples/guides/a/policy.yaml`, with or without a remark after a colon, names a file. */
const fileMark = /^(?:#|\/\/) ((?:[a-z0-9][a-z0-9-]*\/)*[a-z0-9][a-z0-9-]*\.[a-z]+)(?::.*)?$/;

export function readGuide(markdown: string): readonly Step[] {
  return blocksOf(markdown).flatMap((block) => {
    if (block.language === "console") return commandsOf(block);
    const name = fileMark.exec(block.lines[0] ?? "")?.[1];
    if (name !== undefined) return [{ kind: "file", line: block.line, name, text: `${block.lines.join("\n")}\n` }];
    if (commandLanguages.has(block.language)) {
      throw new Error(`line ${block.line}: commands belong into a console block, where each begins with "$ "`);
    }
    return [];
  });
}

function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(text);
    if (fence === null) open?.lines.push(text);
    else if (open === undefined) open = { language: fence[1] ?? "", line: index + 2, lines: [] };
    else {
      blocks.push(open);
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block is never closed`);
  return blocks;
}

/** A command continues after a line that ends with a backslash. The lines after a command are its output. */
function commandsOf({ lines, line }: Block): readonly Step[] {
  const steps: { kind: "command"; line: number; command: string; shown: string[] }[] = [];
  let goesOn = false;
  for (const [index, text] of lines.entries()) {
    const current = steps.at(-1);
    if (goesOn && current !== undefined) current.command += `\n${text}`;
    else if (text.startsWith("$ "))
      steps.push({ kind: "command", line: line + index, command: text.slice(2), shown: [] });
    else if (current === undefined) throw new Error(`line ${line + index}: output without a command`);
    else current.shown.push(text);
    goesOn = (goesOn || text.startsWith("$ ")) && text.endsWith("\\");
  }
  return steps;
}
