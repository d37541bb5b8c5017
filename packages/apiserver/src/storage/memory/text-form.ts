const quote = '"';
/** Stands for a blank where forms are compared. No JSON has it as it is. */
const blank = "\0";

/**
 * What texts of objects that are much alike have in common: a text with blanks, each a word between two quotes. It does
 * not matter what is a word: any text is its words with quotes between them.
 */
export class TextForm {
  /** Between two of these there is a blank. All but the first begin with a quote, unless the text ends with a blank. */
  readonly #printed: readonly string[];
  /** How much of a text need not be written down. */
  readonly printedLength: number;
  readonly wordCount: number;

  private constructor(words: readonly string[]) {
    this.#printed = words.join(quote).split(blank);
    this.printedLength = this.#printed.reduce((sum, { length }) => sum + length, 0);
    this.wordCount = words.length;
  }

  /** A form for a text alone, without blanks. */
  static of(text: string): TextForm | undefined {
    return text.includes(blank) ? undefined : new TextForm(text.split(quote));
  }

  get blankCount(): number {
    return this.#printed.length - 1;
  }

  /** The form that has a blank wherever this one and a text are not the same; undefined when they are not alike. */
  with(text: string): TextForm | undefined {
    const theirs = text.split(quote);
    if (theirs.length !== this.wordCount || text.includes(blank)) return undefined;
    const ours = this.#printed.join(blank).split(quote);
    return new TextForm(ours.map((word, at) => (word === theirs[at] ? word : blank)));
  }

  /** What is to be filled in to make this text, in one piece; undefined when it is not of this form. */
  entriesIn(text: string): string | undefined {
    const printed = this.#printed;
    const first = printed[0] as string;
    if (!isAt(text, 0, first)) return undefined;
    const entries: string[] = [];
    let at = first.length;
    for (let next = 1; next < printed.length; next += 1) {
      const following = printed[next] as string;
      const found = text.indexOf(quote, at);
      const end = found === -1 ? text.length : found;
      if (!isAt(text, end, following)) return undefined;
      entries.push(text.slice(at, end));
      at = end + following.length;
    }
    return at === text.length ? abridged(entries) : undefined;
  }

  filledIn(abridgedEntries: string): string {
    const entries = abridgedEntries.split(quote);
    const printed = this.#printed;
    let text = printed[0] as string;
    for (let next = 1; next < printed.length; next += 1) {
      const entry = entries[next - 1] as string;
      text += (isDitto(entry) ? entries[entry.charCodeAt(0) - 1] : entry) + (printed[next] as string);
    }
    return text;
  }
}

/** Ten times as quick as `startsWith`, for texts as long as ours. */
function isAt(text: string, at: number, part: string): boolean {
  return text.slice(at, at + part.length) === part;
}

/** Entries in one piece. One that is there already is a mark that says where: objects say the same UID several times. */
function abridged(entries: readonly string[]): string | undefined {
  const marked: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (isDitto(entry)) return undefined; // nothing that we wrote
    const earlier = firstOf(entries, entry);
    marked.push(earlier < at && earlier < dittosMax ? String.fromCharCode(earlier + 1) : entry);
  }
  return marked.join(quote);
}

/** Not `indexOf`, which compares texts of different lengths, too. */
function firstOf(entries: readonly string[], wanted: string): number {
  let at = 0;
  while (entries[at]?.length !== wanted.length || entries[at] !== wanted) at += 1;
  return at;
}

/** Characters that no JSON has as they are, without the first, which is the blank. */
const dittosMax = 31;

function isDitto(entry: string): boolean {
  return entry.length === 1 && entry.charCodeAt(0) <= dittosMax;
}
