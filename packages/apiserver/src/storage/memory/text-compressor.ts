import { TextTemplate } from "./text-template.ts";

/** A text as a template and the values to fill in. */
export class CompressedText {
  readonly #template: TextTemplate;
  readonly #values: string;
  readonly length: number;

  constructor(template: TextTemplate, values: string, length: number) {
    this.#template = template;
    this.#values = values;
    this.length = length;
  }

  get text(): string {
    return this.#template.fill(this.#values);
  }
}

interface Candidate {
  readonly template: TextTemplate;
  /** Number of texts it matched before it came into use. */
  matched: number;
}

/** Shorter texts gain too little, and longer ones take too long. */
const lengths = { min: 512, max: 16_384 };
/** The share of a text that a template must save. Texts with less in common belong to different templates. */
const savedMin = 0.75;
/** A template takes about as much memory as a text, so it is used only after that many matches. */
const matchedMin = 8;
const templatesMax = 4;
const resourcesMax = 1_000;
/** Where texts have nothing in common, attempts to compress become rarer. */
const skipMax = 1_024;

/** Compresses texts by templates of what the texts of each resource have in common. */
export class TextCompressor {
  readonly #resources = new Map<string, ResourceTemplates>();

  /** The compressed text, or the text itself if compression does not pay off. */
  of(resource: string, text: string): string | CompressedText {
    if (text.length < lengths.min || text.length > lengths.max) return text;
    const candidate = this.#resources.get(resource);
    if (candidate !== undefined) return candidate.compress(text);
    if (this.#resources.size >= resourcesMax) this.#resources.clear();
    const templates = new ResourceTemplates();
    this.#resources.set(resource, templates);
    return templates.compress(text);
  }
}

/** The templates in use, and candidates. */
class ResourceTemplates {
  #templates: Candidate[] = [];
  #skipCount = 0;
  #skip = 1;

  compress(text: string): string | CompressedText {
    for (const candidate of this.#templates) {
      const values = candidate.template.blankCount === 0 ? undefined : candidate.template.valuesIn(text);
      if (values === undefined) continue;
      this.#moveToFront(candidate);
      if (candidate.matched >= matchedMin) return new CompressedText(candidate.template, values, text.length);
      candidate.matched += 1;
      return text;
    }
    this.#learn(text);
    return text;
  }

  #moveToFront(candidate: Candidate): void {
    if (this.#templates[0] === candidate) return;
    this.#templates = [candidate, ...this.#templates.filter((each) => each !== candidate)];
  }

  #learn(text: string): void {
    if (this.#skipCount > 0) {
      this.#skipCount -= 1;
      return;
    }
    const [found, instead] = this.#generalized(text);
    const template = instead ?? TextTemplate.of(text);
    const others = this.#templates.filter((each) => each !== found);
    if (template !== undefined) this.#templates = [{ template, matched: 0 }, ...others].slice(0, templatesMax);
    this.#skip = instead === undefined ? Math.min(2 * this.#skip, skipMax) : 1;
    this.#skipCount = this.#skip - 1;
  }

  /** A candidate that almost fits, and its generalization that fits this text as well. */
  #generalized(text: string): readonly [Candidate, TextTemplate] | readonly [undefined, undefined] {
    for (const candidate of this.#templates) {
      const wider = candidate.template.with(text);
      if (wider !== undefined && wider.fixedLength - wider.blankCount >= savedMin * text.length)
        return [candidate, wider];
    }
    return [undefined, undefined];
  }
}
