const excerptLength = 100;

/** Quotes and truncates user input for messages in responses, events and logs. */
export function excerpt(text: string): string {
  return text.length <= excerptLength ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, excerptLength))}…`;
}
