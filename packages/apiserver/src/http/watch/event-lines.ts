import type { MeasuredEvent } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { eventText, renderedObject } from "../responses/representation.ts";
import type { ViewOptions } from "../responses/view-options.ts";

/** One event: the object for watchers in this process, serialized on demand for all others. */
export class EventLine implements MeasuredEvent {
  readonly type: string;
  readonly plane: string | undefined;
  readonly #stored: StoredObject;
  readonly #text: string;
  #object: JsonObject | undefined;
  #bytes: Uint8Array | undefined;

  constructor(type: string, stored: StoredObject, viewOptions: ViewOptions, isFirst: boolean) {
    this.type = type;
    this.plane = viewOptions.kindIn === undefined ? undefined : stored.key.plane;
    this.#stored = stored;
    this.#text = eventText(stored, viewOptions, isFirst);
  }

  get length(): number {
    return this.#text.length;
  }

  get object(): JsonObject {
    this.#object ??= renderedObject(this.#stored, this.#text);
    return this.#object;
  }

  get bytes(): Uint8Array {
    const plane = this.plane === undefined ? "" : `"plane":${JSON.stringify(this.plane)},`;
    this.#bytes ??= Buffer.from(`{"type":"${this.type}",${plane}"object":${this.#text}}\n`);
    return this.#bytes;
  }
}

/** A line, and the properties that its watchers share. */
interface SharedLine {
  readonly line: EventLine;
  readonly kind: ViewOptions["kind"];
  readonly name: string;
}

/**
 * The serialized events of one change. Watchers with the same view share one line. They are notified one after the
 * other, so only the latest change is cached.
 */
export class EventLines {
  #revision = 0;
  #shared: SharedLine[] = [];

  line(type: string, stored: StoredObject, viewOptions: ViewOptions, isFirst: boolean): EventLine {
    // Table rows contain ages and headers, which differ between watchers.
    if (viewOptions.accepted.representation !== "object") return new EventLine(type, stored, viewOptions, isFirst);
    if (stored.revision !== this.#revision) {
      this.#revision = stored.revision;
      this.#shared = [];
    }
    const { kind, kindIn } = viewOptions;
    const { name } = stored.key;
    const plane = kindIn === undefined ? undefined : stored.key.plane;
    for (const shared of this.#shared) {
      const { line } = shared;
      if (line.type === type && line.plane === plane && shared.kind === kind && shared.name === name) return line;
    }
    const line = new EventLine(type, stored, viewOptions, isFirst);
    this.#shared.push({ line, kind, name });
    return line;
  }
}
