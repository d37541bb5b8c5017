import { type FieldNode, type FieldSet, noFields } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** A node of a field set under construction. */
export class FieldDraft {
  /** Whether the field itself is in the set; meaningless at the root, which has no owner. */
  isMember = false;
  /** Created on demand: most fields are leaves. */
  #below: Map<string, { readonly element: PathElement; readonly draft: FieldDraft }> | undefined;

  at(element: PathElement): FieldDraft {
    const existing = this.#below?.get(element.text);
    if (existing !== undefined) return existing.draft;
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
