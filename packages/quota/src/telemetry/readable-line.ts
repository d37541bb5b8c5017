/** Formats a JSON log line for terminals: time of day, level, message, and the other fields. */
export function readableLine(json: string): string {
  const { time, level, message, stack, ...rest } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const others = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  const head = [
    String(time).slice(11, 19),
    String(level).toUpperCase().padEnd(5),
    escapeControls(String(message)),
    ...others,
  ];
  return `${head.join(" ")}\n${stack === undefined ? "" : `${escapeControls(String(stack))}\n`}`;
}

/** Escapes control characters, because names of objects must not control the terminal. Newlines of a stack are kept. */
function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character === "\n" ? "\n" : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
