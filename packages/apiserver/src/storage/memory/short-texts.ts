import { TextForm } from "./text-form.ts";

/** A text as its form and what is filled into it. */
export class ShortText {
  readonly #form: TextForm;
  readonly #entries: string;
  readonly length: number;

  constructor(form: TextForm, entries: string, length: number) {
    this.#form = form;
    this.#entries = entries;
    this.length = length;
  }

  get text(): string {
    return this.#form.filledIn(this.#entries);
  }
}

interface KnownForm {
  readonly form: TextForm;
  /** How many texts it fitted before it was used. */
  fitted: number;
}

/** Shorter ones gain too little, and longer ones take too long. */
const lengths = { min: 512, max: 16_384 };
/** The share of a text that a form must spare. Texts that are less alike are of two forms, and happen to be as long. */
const sparedMin = 0.75;
/** A form takes about as much memory as a text, so it is not used before there have been so many of that form. */
const fittedMin = 8;
const formsMax = 4;
const resourcesMax = 1_000;
/** Where texts are not alike, it is tried less and less often to find what they have in common. */
const restMax = 1_024;

/** Finds out what the texts of each resource have in common, and writes down the rest. */
export class ShortTexts {
  readonly #resources = new Map<string, FormsOfResource>();

  /** The text in short, or as it is where that would not be shorter. */
  of(resource: string, text: string): string | ShortText {
    if (text.length < lengths.min || text.length > lengths.max) return text;
    const known = this.#resources.get(resource);
    if (known !== undefined) return known.short(text);
    if (this.#resources.size >= resourcesMax) this.#resources.clear();
    const forms = new FormsOfResource();
    this.#resources.set(resource, forms);
    return forms.short(text);
  }
}

/** The forms that were of use last, and those that may come to be. */
class FormsOfResource {
  #forms: KnownForm[] = [];
  #restCount = 0;
  #rest = 1;

  short(text: string): string | ShortText {
    for (const known of this.#forms) {
      const entries = known.form.blankCount === 0 ? undefined : known.form.entriesIn(text);
      if (entries === undefined) continue;
      this.#bringForward(known);
      if (known.fitted >= fittedMin) return new ShortText(known.form, entries, text.length);
      known.fitted += 1;
      return text;
    }
    this.#learn(text);
    return text;
  }

  #bringForward(known: KnownForm): void {
    if (this.#forms[0] === known) return;
    this.#forms = [known, ...this.#forms.filter((each) => each !== known)];
  }

  #learn(text: string): void {
    if (this.#restCount > 0) {
      this.#restCount -= 1;
      return;
    }
    const [found, instead] = this.#widened(text);
    const form = instead ?? TextForm.of(text);
    const others = this.#forms.filter((each) => each !== found);
    if (form !== undefined) this.#forms = [{ form, fitted: 0 }, ...others].slice(0, formsMax);
    this.#rest = instead === undefined ? Math.min(2 * this.#rest, restMax) : 1;
    this.#restCount = this.#rest - 1;
  }

  /** A form that almost fits, and what it has to be to fit this text as well. */
  #widened(text: string): readonly [KnownForm, TextForm] | readonly [undefined, undefined] {
    for (const known of this.#forms) {
      const wider = known.form.with(text);
      if (wider !== undefined && wider.printedLength - wider.blankCount >= sparedMin * text.length)
        return [known, wider];
    }
    return [undefined, undefined];
  }
}
