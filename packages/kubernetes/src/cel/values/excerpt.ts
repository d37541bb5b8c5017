/** Length of an excerpt in a message; the text itself may be a megabyte of user input. */
const lengthMax = 80;

/** A text for use in a message, truncated with an ellipsis. */
export function excerpt(text: string): string {
  if (text.length <= lengthMax) return text;
  const end = isHighSurrogate(text.charCodeAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax;
  return `${text.slice(0, end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
