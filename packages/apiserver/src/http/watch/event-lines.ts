import type { MeasuredEvent } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { eventText, shownObject } from "../answers/representation.ts";
import type { ViewOptions } from "../answers/view-options.ts";

/** One event, as it is for readers in this process and as the bytes of a line for all others. */
export class EventLine implements MeasuredEvent {
  readonly type: string;
  readonly plane: string | undefined;
  readonly #stored: StoredObject;
  readonly #text: string;
  #object: JsonObject | undefined;
  #bytes: Uint8Array | undefined;

  constructor(type: string, stored: StoredObject, showing: ViewOptions, isFirst: boolean) {
    this.type = type;
    this.plane = showing.kindIn === undefined ? undefined : stored.key.plane;
    this.#stored = stored;
    this.#text = eventText(stored, showing, isFirst);
  }

  get length(): number {
    return this.#text.length;
  }

  get object(): JsonObject {
    this.#object ??= shownObject(this.#stored, this.#text);
    return this.#object;
  }

  get bytes(): Uint8Array {
    const plane = this.plane === undefined ? "" : `"plane":${JSON.stringify(this.plane)},`;
    this.#bytes ??= Buffer.from(`{"type":"${this.type}",${plane}"object":${this.#text}}\n`);
    return this.#bytes;
  }
}

/** A line, and what all who see it have in common. */
interface SharedLine {
  readonly line: EventLine;
  readonly kind: ViewOptions["kind"];
  readonly name: string;
}

/**
 * The lines that one change is to its watchers. All who see it alike share one line, which they are told of one after the
 * other; so only the newest change is remembered.
 */
export class EventLines {
  #revision = 0;
  #shared: SharedLine[] = [];

  line(type: string, stored: StoredObject, showing: ViewOptions, isFirst: boolean): EventLine {
    // Rows of tables tell ages and headers, which are for one watcher alone.
    if (showing.accepted.representation !== "object") return new EventLine(type, stored, showing, isFirst);
    if (stored.revision !== this.#revision) {
      this.#revision = stored.revision;
      this.#shared = [];
    }
    const { kind, kindIn } = showing;
    const { name } = stored.key;
    const plane = kindIn === undefined ? undefined : stored.key.plane;
    for (const shared of this.#shared) {
      const { line } = shared;
      if (line.type === type && line.plane === plane && shared.kind === kind && shared.name === name) return line;
    }
    const line = new EventLine(type, stored, showing, isFirst);
    this.#shared.push({ line, kind, name });
    return line;
  }
}
