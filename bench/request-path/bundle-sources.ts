import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, relative, resolve } from "node:path";

/** A source line of this project. */
export interface SourceLine {
  /** Relative to the root of the project. */
  readonly file: string;
  readonly line: number;
}

/** Maps offsets in a bundle to source lines. */
export class BundleSources {
  readonly #lineStarts: readonly number[];
  readonly #map: SourceMap;
  readonly #files: ReadonlyMap<string, string>;

  /** Reads a bundle and its source map. */
  static read(file: string): BundleSources {
    const map = JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload;
    const root = process.cwd();
    const pathOf = (source: string): string => relative(root, resolve(dirname(file), source));
    return new BundleSources(readFileSync(file, "utf8"), map, pathOf);
  }

  constructor(text: string, map: SourceMapPayload, pathOf: (source: string) => string = (source) => source) {
    this.#lineStarts = lineStartsOf(text);
    this.#map = new SourceMap(map);
    this.#files = new Map(map.sources.map((source) => [source, pathOf(source)]));
  }

  /** Undefined for code of the bundler. */
  find(offset: number): SourceLine | undefined {
    const line = this.#lineOf(offset);
    const entry = this.#map.findEntry(line, offset - (this.#lineStarts[line] ?? 0));
    if (!("originalSource" in entry)) return undefined;
    const file = this.#files.get(entry.originalSource);
    return file === undefined ? undefined : { file, line: entry.originalLine + 1 };
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
