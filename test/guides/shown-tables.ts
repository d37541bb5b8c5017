/**
 * Rows of tables whose cells are not aligned with a heading. A table begins with a line of headings in capitals and ends
 * with an empty line, or with `...` on a separate line. Columns are at least two spaces apart. A cell starts where its
 * heading starts, or ends where it ends; no two cells are under one heading, and a cell may be empty. Text of the last column
 * may contain several consecutive spaces.
 */
export function misalignedRows(shown: readonly string[]): readonly string[] {
  let headings: readonly Cell[] = [];
  return shown.filter((line) => {
    const isHeading = headingLine.test(line);
    if (isHeading || line === "" || line === "...") {
      headings = isHeading ? cellsOf(line) : [];
      return false;
    }
    return headings.length > 0 && !isAligned(headings, cellsOf(line));
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

function isAligned(headings: readonly Cell[], cells: readonly Cell[]): boolean {
  const last = cells.findIndex(({ start }) => start === headings.at(-1)?.start);
  const columns = (last === -1 ? cells : cells.slice(0, last + 1)).map(({ start, end }) =>
    headings.findIndex((heading) => heading.start === start || heading.end === end),
  );
  return !columns.includes(-1) && new Set(columns).size === columns.length;
}
