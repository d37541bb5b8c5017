import { ProtobufFault } from "./wire-reader.ts";

/** How deeply messages nest: only the schemas of a definition do so without an end, and none that means anything. */
export const messageDepthMax = 300;

/** How many messages, items and entries a body may hold. Two bytes make an empty one, which then takes hundreds. */
export const valuesMax = 500_000;

/** Counts what one body holds. */
export class ReadLimits {
  #depth = 0;
  #values = 0;

  /** Reads something that may hold messages itself. */
  nested<Value>(read: () => Value): Value {
    this.count();
    this.#depth += 1;
    if (this.#depth > messageDepthMax) {
      throw new ProtobufFault(`proto: messages nest more than ${messageDepthMax} deep`);
    }
    const value = read();
    this.#depth -= 1;
    return value;
  }

  count(): void {
    this.#values += 1;
    if (this.#values > valuesMax) throw new ProtobufFault(`proto: more than ${valuesMax} values`);
  }
}
