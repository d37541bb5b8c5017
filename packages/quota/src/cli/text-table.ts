export interface Column {
  readonly title: string;
  /** For numbers. */
  readonly align?: "right";
}

const gap = "   ";

/** Columns are as wide as their longest cell; empty columns are omitted. */
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
  const padding = " ".repeat(Math.max(0, width - widthOf(cell)));
  return align === "right" ? `${padding}${cell}` : `${cell}${padding}`;
}

function widthOf(text: string): number {
  return [...text].length;
}

/** `1 project`, `2 projects`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
