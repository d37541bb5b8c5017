import { goEscapes } from "@milo-quota/kubernetes/protocol/go-escapes.ts";

const escapes: Readonly<Record<string, string>> = { ...goEscapes, "\\": "\\", '"': '"' };

const escapePattern = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|[\s\S])/g;

/** The value of a Go string literal, given without its quotes; undefined when it has an invalid escape. */
export function goStringValue(text: string): string | undefined {
  let isValid = !/[\n\r]/.test(text);
  const value = text.replace(escapePattern, (_, escaped: string) => {
    const character = escapes[escaped] ?? byNumber(escaped);
    isValid &&= character !== undefined;
    return character ?? "";
  });
  return isValid ? value : undefined;
}

function byNumber(escaped: string): string | undefined {
  if (escaped.length === 1) return undefined;
  const isHex = /^[xuU]/.test(escaped);
  const code = Number.parseInt(isHex ? escaped.slice(1) : escaped, isHex ? 16 : 8);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
