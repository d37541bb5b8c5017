/** A value of an opaque type, which a library parses from a string and has functions for. */
export abstract class Opaque {
  /** What `type(x)` shows. */
  abstract get typeName(): string;

  /** Number of characters to compare; 0 if it is always small. */
  get size(): number {
    return 0;
  }

  /** Compares with another value of the same type. */
  abstract equals(other: this): boolean;

  /** For display. */
  abstract toString(): string;

  /** The result of `string(x)`; undefined if there is no such conversion. */
  get text(): string | undefined {
    return undefined;
  }
}
