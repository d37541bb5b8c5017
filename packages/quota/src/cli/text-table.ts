/** A column of a table: numbers stand at the right, so that they can be compared. */
export interface Column {
  readonly title: string;
  readonly align?: "right";
}

const gap = "   ";

/** Columns as wide as what is in them; a column in which nothing is, is left out. */
export function textTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const shown = columns.map((column, at) => ({ ...column, at })).filter(({ at }) => rows.some((row) => row[at] !== ""));
  const widths = shown.map(({ title, at }) => Math.max(title.length, ...rows.map((row) => widthOf(row[at] ?? ""))));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => padded(cell, widths[at] ?? 0, shown[at]?.align))
      .join(gap)
      .trimEnd();
  return [line(shown.map(({ title }) => title)), ...rows.map((row) => line(shown.map(({ at }) => row[at] ?? "")))].join(
    "\n",
  );
}

function padded(cell: string, width: number, align: Column["align"]): string {
  const room = " ".repeat(Math.max(0, width - widthOf(cell)));
  return align === "right" ? `${room}${cell}` : `${cell}${room}`;
}

function widthOf(text: string): number {
  return [...text].length;
}

/** `1 project`, `2 projects`. */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
