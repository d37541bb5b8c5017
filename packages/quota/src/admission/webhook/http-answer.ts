import type { ServerResponse } from "node:http";

/** A refusal of the call itself. What is wrong with objects is said in reviews. */
export class NotAnswered extends Error {
  override readonly name = "NotAnswered";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Answer {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

export function plain(code: number, text: string): Answer {
  return { code, type: "text/plain; charset=utf-8", text: `${text}\n` };
}

export function send(response: ServerResponse, { code, type, text }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  // What is left of a body that was not read must not be taken for the next request.
  const close = code >= 400 ? { Connection: "close" } : {};
  response.writeHead(code, { "Content-Type": type, "Content-Length": Buffer.byteLength(text), ...close });
  response.end(text);
}
