import { isUint64 } from "./numbers/int64.ts";
import { Opaque } from "./opaque.ts";
import { semverName } from "./type-name.ts";

/** A pre-release identifier: a number, or a string. */
type Identifier = bigint | string;

/** A version as defined by semver.org: `1.2.3-beta.1+build.5`. */
export class SemanticVersion extends Opaque {
  readonly #numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  readonly #preRelease: readonly Identifier[];
  readonly #written: string;

  constructor(numbers: readonly [bigint, bigint, bigint], preRelease: readonly Identifier[], written: string) {
    super();
    this.#numbers = numbers;
    this.#preRelease = preRelease;
    this.#written = written;
  }

  get numbers(): readonly [major: bigint, minor: bigint, patch: bigint] {
    return this.#numbers;
  }

  /** -1, 0 or 1; build metadata is ignored. */
  compare(other: SemanticVersion): -1 | 0 | 1 {
    for (const [index, number] of this.#numbers.entries()) {
      const order = sign(number, other.numbers[index] as bigint);
      if (order !== 0) return order;
    }
    return comparePreReleases(this.#preRelease, other.#preRelease);
  }

  override get typeName(): string {
    return semverName;
  }

  override equals(other: SemanticVersion): boolean {
    return this.compare(other) === 0;
  }

  override toString(): string {
    return this.#written;
  }
}

/** A longer pre-release comes after its prefix, but a release comes after all of its pre-releases. */
function comparePreReleases(left: readonly Identifier[], right: readonly Identifier[]): -1 | 0 | 1 {
  if (left.length === 0 || right.length === 0) return sign(right.length, left.length);
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    // Numbers come before strings.
    const order = typeof one === typeof other ? sign(one, other) : typeof one === "bigint" ? -1 : 1;
    if (order !== 0) return order;
  }
  return left.length < right.length ? -1 : 0;
}

function sign<T extends bigint | number | string>(left: T, right: T): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Longer than any version, and short enough to compare quickly. */
const lengthMax = 256;

const number = "(0|[1-9]\\d*)";
const shape = new RegExp(`^${number}\\.${number}\\.${number}(?:-([^+]*))?(?:\\+(.*))?$`, "s");
const identifier = /^[0-9A-Za-z-]+$/;

/** Undefined for an invalid version. */
export function parseSemver(text: string): SemanticVersion | undefined {
  const match = text.length > lengthMax ? null : shape.exec(text);
  if (match === null) return undefined;
  const [, major = "", minor = "", patch = "", preRelease, build] = match;
  const identifiers = (preRelease?.split(".") ?? []).map(identifierOf);
  if (identifiers.includes(undefined)) return undefined;
  if (build !== undefined && !build.split(".").every((part) => identifier.test(part))) return undefined;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  return numbers.every(isUint64) ? new SemanticVersion(numbers, identifiers as Identifier[], text) : undefined;
}

function identifierOf(text: string): Identifier | undefined {
  if (!identifier.test(text)) return undefined;
  if (!/^\d+$/.test(text)) return text;
  if (text.length > 1 && text.startsWith("0")) return undefined;
  const value = BigInt(text);
  return isUint64(value) ? value : undefined;
}

/** Normalizes a leading `v`, leading zeros and missing numbers. */
export function normalizeSemver(text: string): string {
  if (text.length > lengthMax) return text;
  const parts = splitInThree(text.replace(/^v/, "")).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? "")) return text;
  return [...parts, "0", "0"].slice(0, 3).join(".");
}

function splitInThree(text: string): string[] {
  const [major = "", minor, ...rest] = text.split(".");
  return [major, minor, rest.length === 0 ? undefined : rest.join(".")].filter((part) => part !== undefined);
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const trimmed = part.replace(/^0+/, "");
  return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
}
