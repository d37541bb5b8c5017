const excerptLength = 100;

/** A text in quotes, cut short: messages go into answers, events and logs, and texts may come from anybody. */
export function excerpt(text: string): string {
  return text.length <= excerptLength ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, excerptLength))}…`;
}
