import { StatusError } from "../../protocol/api-status.ts";
import { UnreadableLine } from "./watch-line.ts";

/** The stream was silent for longer than a living one is: bookmarks come every minute. */
export class StreamSilent extends Error {
  override readonly name = "StreamSilent";

  constructor(silentMs: number) {
    super(`no line for ${silentMs} ms, not even a bookmark`);
  }
}

/** The server ended a stream as soon as it had begun. */
export class StreamTooShort extends Error {
  override readonly name = "StreamTooShort";

  constructor() {
    super("the server ended the watch at once, without an event");
  }
}

/**
 * Whether a watch can go on from where it was once this failure is over. Not when history is gone or was rewritten
 * (a store restored from a backup is behind us), when the request itself was wrong, or when we lost track.
 */
export function canResumeAfter(error: unknown): boolean {
  if (error instanceof UnreadableLine) return false;
  if (!(error instanceof StatusError)) return true;
  const { code, details } = error.status;
  if (code === 400 || code === 410 || code === 422) return false;
  return !(details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");
}

/** Whether a server answers like this because it cannot stream what there is at the beginning. */
export function refusesInitialEvents(error: unknown): boolean {
  return error instanceof StreamSilent || (error instanceof StatusError && [400, 422].includes(error.status.code));
}
