import { closingQuote, isQuote } from "./quoted-text.ts";

/** A part of a template: literal text, or an action between `{{` and `}}`. */
export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly source: string; readonly offset: number };

export interface TemplateIssue {
  readonly message: string;
  readonly offset: number;
}

export type Scanned =
  | { readonly ok: true; readonly segments: readonly Segment[] }
  | { readonly ok: false; readonly issue: TemplateIssue };

/**
 * Splits a template. `{{` opens an action wherever it stands; the action ends at the first `}}` that is neither inside
 * quotes nor closes a brace opened inside. A `}}` outside an action, or any single brace, is text. As in Go, `{{- ` and
 * ` -}}` trim the white space before and after the action.
 */
export function scanTemplate(text: string): Scanned {
  const segments: Segment[] = [];
  let at = 0;
  let trimNext = false;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    const literal = text.slice(at, open < 0 ? text.length : open);
    const trimsBefore = open >= 0 && /^-\s/.test(text.slice(open + 2, open + 4));
    addText(segments, trimmed(literal, trimNext, trimsBefore));
    if (open < 0) break;
    const end = actionEnd(text, open + 2);
    if (typeof end !== "number") return { ok: false, issue: end };
    const start = open + (trimsBefore ? 3 : 2);
    trimNext = /\s-$/.test(text.slice(start, end));
    segments.push(action(text.slice(start, trimNext ? end - 1 : end), start));
    at = end + 2;
  }
  return { ok: true, segments };
}

function addText(segments: Segment[], text: string): void {
  if (text !== "") segments.push({ kind: "text", text });
}

function trimmed(text: string, atStart: boolean, atEnd: boolean): string {
  const shorter = atStart ? text.trimStart() : text;
  return atEnd ? shorter.trimEnd() : shorter;
}

function action(inside: string, start: number): Segment {
  const leading = inside.length - inside.trimStart().length;
  return { kind: "action", source: inside.trim(), offset: start + leading };
}

/** The offset of the `}}` that closes the action. */
function actionEnd(text: string, start: number): number | TemplateIssue {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isQuote(character)) {
      const close = closingQuote(text, at);
      if (close < 0) return { message: `missing closing ${character}`, offset: at };
      at = close;
    } else if (character === "{") {
      depth += 1;
    } else if (character === "}") {
      if (depth === 0 && text[at + 1] === "}") return at;
      depth -= 1;
    }
  }
  return { message: "missing closing }}", offset: start - 2 };
}
