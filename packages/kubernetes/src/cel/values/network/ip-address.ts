import { Opaque } from "../opaque.ts";
import { ipName } from "../type-name.ts";

type Family = 4 | 6;

/** An IP address without a zone. */
export class IpAddress extends Opaque {
  readonly #family: Family;
  readonly #bits: bigint;

  constructor(family: Family, bits: bigint) {
    super();
    this.#family = family;
    this.#bits = bits;
  }

  get family(): Family {
    return this.#family;
  }

  get bits(): bigint {
    return this.#bits;
  }

  /** 32 or 128. */
  get width(): number {
    return this.#family === 4 ? 32 : 128;
  }

  /** The first bits, as a number. */
  prefix(length: number): bigint {
    return this.#bits >> BigInt(this.width - length);
  }

  override get typeName(): string {
    return ipName;
  }

  override equals(other: IpAddress): boolean {
    return this.#family === other.family && this.#bits === other.bits;
  }

  override toString(): string {
    return this.#family === 4 ? formatV4(this.#bits) : formatV6(this.#bits);
  }

  override get text(): string {
    return this.toString();
  }
}

/** Longer than any address; longer texts are rejected at once. */
const lengthMax = 64;

/** Undefined for an invalid address, one with a zone, or an IPv4-mapped IPv6 address. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > lengthMax) return undefined;
  if (!text.includes(":")) {
    const bits = parseV4(text);
    return bits === undefined ? undefined : new IpAddress(4, bits);
  }
  const bits = parseV6(text);
  return bits === undefined || bits >> 32n === 0xffffn ? undefined : new IpAddress(6, bits);
}

export function isIpv6(text: string): boolean {
  return text.length <= lengthMax && parseV6(text) !== undefined;
}

const octets = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/;

function parseV4(text: string): bigint | undefined {
  if (!octets.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part < 256) ? join(parts, 8n) : undefined;
}

function parseV6(text: string): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const [before, after] = [groupsOf(head, tail === undefined), groupsOf(tail ?? "", true)];
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  // `::` stands for at least one group of zeros.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return join([...before, ...Array<number>(missing).fill(0), ...after], 16n);
}

/** Groups of sixteen bits; the last two may be written as an IPv4 address, at the end of the text only. */
function groupsOf(text: string, atEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const v4 = atEnd ? parseV4(parts.at(-1) ?? "") : undefined;
  const hex = v4 === undefined ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const groups = hex.map((part) => Number.parseInt(part, 16));
  return v4 === undefined ? groups : [...groups, Number(v4 >> 16n), Number(v4 & 0xffffn)];
}

function join(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

function formatV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join(".");
}

/** RFC 5952: lower case, and the first of the longest runs of zeros compressed. */
function formatV6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const text = groups.join(":");
  const runs = text.match(/(?<![^:])0(?::0)+(?![^:])/g) ?? [];
  const [longest] = runs.toSorted((left, right) => right.length - left.length);
  if (longest === undefined) return text;
  const start = text.search(new RegExp(`(?<![^:])${longest}(?![^:])`));
  return `${text.slice(0, start).replace(/:$/, "")}::${text.slice(start + longest.length).replace(/^:/, "")}`;
}
