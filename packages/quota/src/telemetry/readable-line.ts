/** A line of JSON as people like to read it: the time of day, how bad it is, the message, and whatever else there is. */
export function readableLine(json: string): string {
  const { time, level, message, stack, ...rest } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const others = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  const head = [String(time).slice(11, 19), String(level).toUpperCase().padEnd(5), shown(String(message)), ...others];
  return `${head.join(" ")}\n${stack === undefined ? "" : `${shown(String(stack))}\n`}`;
}

/** Whoever can name an object must not be able to write into somebody's terminal; lines of a stack stay lines. */
function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character === "\n" ? "\n" : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
