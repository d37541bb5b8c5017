import { type FieldNode, type FieldSet, noFields } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** A place in a field set that is being collected. */
export class FieldDraft {
  /** Whether the field itself is in the set; of no meaning at the root, which nobody owns. */
  isMember = false;
  /** Made when there is something to put in: most fields have nothing below them. */
  #below: Map<string, { readonly element: PathElement; readonly draft: FieldDraft }> | undefined;

  at(element: PathElement): FieldDraft {
    const known = this.#below?.get(element.text);
    if (known !== undefined) return known.draft;
    const draft = new FieldDraft();
    this.#below ??= new Map();
    this.#below.set(element.text, { element, draft });
    return draft;
  }

  done(): FieldSet {
    if (this.#below === undefined) return noFields;
    const set = new Map<string, FieldNode>();
    for (const [text, { element, draft }] of this.#below) {
      const below = draft.done();
      if (draft.isMember || below.size > 0) set.set(text, { element, isMember: draft.isMember, below });
    }
    return set;
  }
}
