const newline = 10;

/** Splits a byte stream into lines. A character may span two chunks, a line any number. */
export class LineSplitter {
  readonly #take: (line: string) => void;
  readonly #bytesMax: number;
  #unfinished: Uint8Array[] = [];
  #bytes = 0;

  constructor(take: (line: string) => void, bytesMax: number) {
    this.#take = take;
    this.#bytesMax = bytesMax;
  }

  /** Throws a RangeError when a line gets too long. */
  add(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Whether the stream ended in the middle of a line, which is then incomplete. */
  get isCutShort(): boolean {
    return this.#bytes > 0;
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw new RangeError(`line longer than ${this.#bytesMax} bytes`);
    if (part.length > 0) this.#unfinished.push(part);
  }

  #finish(): void {
    const parts = this.#unfinished;
    this.#unfinished = [];
    this.#bytes = 0;
    const line = Buffer.concat(parts).toString("utf8");
    if (line.trim() !== "") this.#take(line);
  }
}
