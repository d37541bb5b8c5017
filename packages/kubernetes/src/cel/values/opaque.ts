/** A value of a type known by its name: what a library reads from a text and has functions for. */
export abstract class Opaque {
  /** What `type(x)` shows. */
  abstract get typeName(): string;

  /** How many characters there are to compare; none if there are never more than a few. */
  get size(): number {
    return 0;
  }

  /** Whether another value of the same type is the same. */
  abstract equals(other: this): boolean;

  /** For people to read. */
  abstract toString(): string;

  /** What `string(x)` yields; undefined if there is no such conversion. */
  get text(): string | undefined {
    return undefined;
  }
}
