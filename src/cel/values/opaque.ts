/** A value of a type known by its name: what a library reads from a text and has functions for. */
export abstract class Opaque {
  /** What `type(x)` shows. */
  abstract get typeName(): string;

  /** Whether another value of the same type is the same. Takes a short time only, because nothing pays for it. */
  abstract equals(other: this): boolean;

  /** For people to read. */
  abstract toString(): string;

  /** What `string(x)` yields; undefined if there is no such conversion. */
  get text(): string | undefined {
    return undefined;
  }
}
