import type { ServerResponse } from "node:http";

/** The call itself is rejected with this status code. Rejections of objects are part of review responses instead. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface HttpResponse {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

export function plainText(code: number, text: string): HttpResponse {
  return { code, type: "text/plain; charset=utf-8", text: `${text}\n` };
}

export function send(response: ServerResponse, { code, type, text }: HttpResponse): void {
  if (response.destroyed || response.headersSent) return;
  // Closes the connection after an error, so that the unread rest of a body is not taken for the next request.
  const close = code >= 400 ? { Connection: "close" } : {};
  response.writeHead(code, { "Content-Type": type, "Content-Length": Buffer.byteLength(text), ...close });
  response.end(text);
}
