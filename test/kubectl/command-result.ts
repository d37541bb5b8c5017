// Expected results of kubectl commands.
import type { CommandResult } from "./kubectl.ts";

/** Success with these lines on stdout. */
export function succeeds(...lines: readonly string[]): CommandResult {
  return { code: 0, out: lines.map((line) => `${line}\n`).join(""), err: "" };
}

/** Failure with these lines on stderr. */
export function fails(...lines: readonly string[]): CommandResult {
  return { code: 1, out: "", err: lines.map((line) => `${line}\n`).join("") };
}

/**
 * The cells of `kubectl get` output, all tables after each other. Values that differ between runs are replaced: ages by
 * `AGE`, cluster addresses by `IP`.
 */
export function rows({ out }: CommandResult): readonly (readonly string[])[] {
  return out.trimEnd().split("\n\n").flatMap(rowsOfTable);
}

/** A cell starts at the column of its heading and may be empty. */
function rowsOfTable(table: string): readonly (readonly string[])[] {
  const [heading = "", ...lines] = table.split("\n");
  const starts = [...heading.matchAll(/(?<=^| {2})\S/g)].map(({ index }) => index);
  const cells = (line: string): string[] =>
    starts.map((start, column) => normalized(line.slice(start, starts[column + 1]).trim()));
  return heading === "" ? [] : [heading, ...lines].map(cells);
}

function normalized(cell: string): string {
  if (/^(\d+m)?\d+s$/.test(cell)) return "AGE";
  return /^10\.\d+\.\d+\.\d+$/.test(cell) ? "IP" : cell;
}
