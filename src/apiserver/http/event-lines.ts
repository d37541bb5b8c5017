import type { StoredObject } from "../storage/object-store.ts";
import { eventText, type Showing } from "./representation.ts";

/**
 * The lines that one change is to its watchers. All who see it alike share the bytes of one line, which they are told of
 * one after the other; so only the newest change is remembered.
 */
export class EventLines {
  #revision = 0;
  readonly #lines = new Map<string, Uint8Array>();

  line(type: string, stored: StoredObject, showing: Showing, isFirst: boolean): Uint8Array {
    const { kind, accepted } = showing;
    // Rows of tables tell ages and headers, which are for one watcher alone.
    if (accepted.representation !== "object") return encoded(type, eventText(stored, showing, isFirst));
    if (stored.revision !== this.#revision) {
      this.#revision = stored.revision;
      this.#lines.clear();
    }
    const plane = showing.kindIn !== undefined ? `"plane":${JSON.stringify(stored.key.plane)},` : "";
    const key = `${type} ${kind.group}/${kind.version} ${stored.key.name} ${plane}`;
    const known = this.#lines.get(key) ?? encoded(type, eventText(stored, showing, isFirst), plane);
    this.#lines.set(key, known);
    return known;
  }
}

function encoded(type: string, text: string, plane = ""): Uint8Array {
  return Buffer.from(`{"type":"${type}",${plane}"object":${text}}\n`);
}
