import type { StoredObject } from "../storage/object-store.ts";
import { eventText, type Showing } from "./representation.ts";

/** One line, as text for readers in this process and as bytes for all others. */
export class EventLine {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(type: string, object: string, plane = "") {
    this.text = `{"type":"${type}",${plane}"object":${object}}\n`;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

/**
 * The lines that one change is to its watchers. All who see it alike share one line, which they are told of one after the
 * other; so only the newest change is remembered.
 */
export class EventLines {
  #revision = 0;
  readonly #lines = new Map<string, EventLine>();

  line(type: string, stored: StoredObject, showing: Showing, isFirst: boolean): EventLine {
    const { kind, accepted } = showing;
    // Rows of tables tell ages and headers, which are for one watcher alone.
    if (accepted.representation !== "object") return new EventLine(type, eventText(stored, showing, isFirst));
    if (stored.revision !== this.#revision) {
      this.#revision = stored.revision;
      this.#lines.clear();
    }
    const plane = showing.kindIn !== undefined ? `"plane":${JSON.stringify(stored.key.plane)},` : "";
    const key = `${type} ${kind.group}/${kind.version} ${stored.key.name} ${plane}`;
    const known = this.#lines.get(key) ?? new EventLine(type, eventText(stored, showing, isFirst), plane);
    this.#lines.set(key, known);
    return known;
  }
}
