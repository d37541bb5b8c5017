/**
 * Rows of shown tables whose cells do not stand under a heading. A table begins with a line of headings in capitals and goes
 * on to an empty line, or to a `...` alone. Columns are two blanks or more apart. A cell begins where its heading begins, or
 * ends where it ends, and no two stand under one; a cell may be empty.
 */
export function crookedRows(shown: readonly string[]): readonly string[] {
  let headings: readonly Cell[] = [];
  return shown.filter((line) => {
    const isHeading = headingLine.test(line);
    if (isHeading || line === "" || line === "...") {
      headings = isHeading ? cellsOf(line) : [];
      return false;
    }
    return headings.length > 0 && !standsUnder(headings, cellsOf(line));
  });
}

interface Cell {
  readonly start: number;
  readonly end: number;
}

const headingLine = /^[A-Z][A-Z %]*(?: {2,}[A-Z][A-Z %]*)+$/;

function cellsOf(line: string): readonly Cell[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({ start: index, end: index + text.length }));
}

function standsUnder(headings: readonly Cell[], cells: readonly Cell[]): boolean {
  const columns = cells.map(({ start, end }) =>
    headings.findIndex((heading) => heading.start === start || heading.end === end),
  );
  return !columns.includes(-1) && new Set(columns).size === columns.length;
}
