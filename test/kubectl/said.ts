// What a user sees of a kubectl that ended.
import type { Said } from "./kubectl.ts";

/** Success, with these lines. */
export function says(...lines: readonly string[]): Said {
  return { code: 0, out: lines.map((line) => `${line}\n`).join(""), err: "" };
}

/** Failure, with these lines. */
export function refuses(...lines: readonly string[]): Said {
  return { code: 1, out: "", err: lines.map((line) => `${line}\n`).join("") };
}

/**
 * The rows of what `kubectl get` prints, cell by cell; several tables follow each other. What differs from run to run is
 * replaced: an age by `AGE`, an address in the cluster by `IP`.
 */
export function rows({ out }: Said): readonly (readonly string[])[] {
  return out.trimEnd().split("\n\n").flatMap(rowsOfTable);
}

/** A cell begins where its heading does; it may be empty. */
function rowsOfTable(table: string): readonly (readonly string[])[] {
  const [heading = "", ...lines] = table.split("\n");
  const starts = [...heading.matchAll(/(?<=^| {2})\S/g)].map(({ index }) => index);
  const cells = (line: string): string[] =>
    starts.map((start, column) => steady(line.slice(start, starts[column + 1]).trim()));
  return heading === "" ? [] : [heading, ...lines].map(cells);
}

function steady(cell: string): string {
  if (/^(\d+m)?\d+s$/.test(cell)) return "AGE";
  return /^10\.\d+\.\d+\.\d+$/.test(cell) ? "IP" : cell;
}
