import { ProtobufError } from "./wire-reader.ts";

/** Nesting limit: only the schemas of a definition are recursive, and no sensible one is as deep. */
export const messageDepthMax = 300;

/** Limit on messages, items and entries in a body: two bytes encode an empty one, which takes hundreds in memory. */
export const valuesMax = 500_000;

/** Counts what one body holds. */
export class ReadLimits {
  #depth = 0;
  #values = 0;

  /** Reads a value that may contain messages. */
  nested<Value>(read: () => Value): Value {
    this.count();
    this.#depth += 1;
    if (this.#depth > messageDepthMax) {
      throw new ProtobufError(`proto: messages are nested more than ${messageDepthMax} levels deep`);
    }
    const value = read();
    this.#depth -= 1;
    return value;
  }

  count(): void {
    this.#values += 1;
    if (this.#values > valuesMax) throw new ProtobufError(`proto: more than ${valuesMax} values`);
  }
}
