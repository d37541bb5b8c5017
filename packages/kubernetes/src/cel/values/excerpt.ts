/** As much of a text as helps whoever reads a message; the text itself may be a megabyte that a tenant wrote. */
const lengthMax = 80;

/** A text for use inside a message: whole if it is short, its start and an ellipsis if not. */
export function excerpt(text: string): string {
  if (text.length <= lengthMax) return text;
  const end = isHighSurrogate(text.charCodeAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax;
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
