import { StatusError } from "../../protocol/api-status.ts";
import { UnreadableLine } from "./watch-line.ts";

/** The stream was silent for too long: bookmarks come every minute. */
export class StreamSilent extends Error {
  override readonly name = "StreamSilent";

  constructor(silentMs: number) {
    super(`no event for ${silentMs} ms, not even a bookmark`);
  }
}

/** The server ended a stream right after its start. */
export class StreamTooShort extends Error {
  override readonly name = "StreamTooShort";

  constructor() {
    super("the server ended the watch immediately, without an event");
  }
}

/**
 * Whether a watch can resume from its last revision after this failure. Not when the history is gone or was rewritten
 * (a store restored from a backup is behind us), when the request was invalid, or when events were lost.
 */
export function canResumeAfter(error: unknown): boolean {
  if (error instanceof UnreadableLine) return false;
  if (!(error instanceof StatusError)) return true;
  const { code, details } = error.status;
  if (code === 400 || code === 410 || code === 422) return false;
  return !(details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");
}

/** Whether this may be the answer of a server that does not support sendInitialEvents. */
export function refusesInitialEvents(error: unknown): boolean {
  return error instanceof StreamSilent || (error instanceof StatusError && [400, 422].includes(error.status.code));
}
