const quote = '"';
/** Marks a blank when templates are compared. It does not occur in JSON. */
const blank = "\0";

/**
 * A template: a text with blanks, each a token between two quotes. What a token means is irrelevant: any text is a
 * sequence of tokens separated by quotes.
 */
export class TextTemplate {
  /** The text between blanks. All parts but the first begin with a quote, unless the text ends with a blank. */
  readonly #fixed: readonly string[];
  /** The part of a text that the template saves. */
  readonly fixedLength: number;
  readonly tokenCount: number;

  private constructor(tokens: readonly string[]) {
    this.#fixed = tokens.join(quote).split(blank);
    this.fixedLength = this.#fixed.reduce((sum, { length }) => sum + length, 0);
    this.tokenCount = tokens.length;
  }

  /** A template of one text, without blanks. */
  static of(text: string): TextTemplate | undefined {
    return text.includes(blank) ? undefined : new TextTemplate(text.split(quote));
  }

  get blankCount(): number {
    return this.#fixed.length - 1;
  }

  /** A template with a blank wherever this one and a text differ; undefined when they have too little in common. */
  with(text: string): TextTemplate | undefined {
    const theirs = text.split(quote);
    if (theirs.length !== this.tokenCount || text.includes(blank)) return undefined;
    const ours = this.#fixed.join(blank).split(quote);
    return new TextTemplate(ours.map((token, at) => (token === theirs[at] ? token : blank)));
  }

  /** The packed values to fill in for a text; undefined when it does not match. */
  valuesIn(text: string): string | undefined {
    const fixed = this.#fixed;
    const first = fixed[0] as string;
    if (!isAt(text, 0, first)) return undefined;
    const values: string[] = [];
    let at = first.length;
    for (let next = 1; next < fixed.length; next += 1) {
      const following = fixed[next] as string;
      const found = text.indexOf(quote, at);
      const end = found === -1 ? text.length : found;
      if (!isAt(text, end, following)) return undefined;
      values.push(text.slice(at, end));
      at = end + following.length;
    }
    return at === text.length ? pack(values) : undefined;
  }

  fill(packed: string): string {
    const values = packed.split(quote);
    const fixed = this.#fixed;
    let text = fixed[0] as string;
    for (let next = 1; next < fixed.length; next += 1) {
      const value = values[next - 1] as string;
      text += (isBackReference(value) ? values[value.charCodeAt(0) - 1] : value) + (fixed[next] as string);
    }
    return text;
  }
}

/** Ten times as fast as `startsWith` for texts of this length. */
function isAt(text: string, at: number, part: string): boolean {
  return text.slice(at, at + part.length) === part;
}

/**
 * Packs values into one string. A repeated value is a back reference: objects often contain the same UID several times.
 */
function pack(values: readonly string[]): string | undefined {
  const marked: string[] = [];
  for (const [at, value] of values.entries()) {
    if (isBackReference(value)) return undefined; // not in texts that we wrote
    const earlier = firstOf(values, value);
    marked.push(earlier < at && earlier < backReferencesMax ? String.fromCharCode(earlier + 1) : value);
  }
  return marked.join(quote);
}

/** Not `indexOf`, which also compares strings of different lengths. */
function firstOf(values: readonly string[], wanted: string): number {
  let at = 0;
  while (values[at]?.length !== wanted.length || values[at] !== wanted) at += 1;
  return at;
}

/** Control characters that do not occur in JSON, without the first one, which is the blank. */
const backReferencesMax = 31;

function isBackReference(value: string): boolean {
  return value.length === 1 && value.charCodeAt(0) <= backReferencesMax;
}
