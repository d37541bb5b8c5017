import { Opaque } from "../opaque.ts";
import { cidrName } from "../type-name.ts";
import { IpAddress, parseIp } from "./ip-address.ts";

/** An address with a prefix length: `10.0.0.0/8`. */
export class Cidr extends Opaque {
  readonly #address: IpAddress;
  readonly #length: number;

  constructor(address: IpAddress, length: number) {
    super();
    this.#address = address;
    this.#length = length;
  }

  get address(): IpAddress {
    return this.#address;
  }

  /** Prefix length in bits. */
  get length(): number {
    return this.#length;
  }

  /** The network address: zeros after the prefix. */
  get masked(): Cidr {
    const rest = BigInt(this.#address.width - this.#length);
    return new Cidr(new IpAddress(this.#address.family, (this.#address.bits >> rest) << rest), this.#length);
  }

  contains(address: IpAddress): boolean {
    const own = this.#address;
    return own.family === address.family && own.prefix(this.#length) === address.prefix(this.#length);
  }

  includes(other: Cidr): boolean {
    return this.#length <= other.length && this.contains(other.address);
  }

  override get typeName(): string {
    return cidrName;
  }

  override equals(other: Cidr): boolean {
    return this.#length === other.length && this.#address.equals(other.address);
  }

  override toString(): string {
    return `${this.#address}/${this.#length}`;
  }

  override get text(): string {
    return this.toString();
  }
}

const shape = /^([^/]{1,64})\/(0|[1-9]\d{0,2})$/;

export function parseCidr(text: string): Cidr | undefined {
  const [, address = "", length] = shape.exec(text) ?? [];
  const ip = parseIp(address);
  return ip === undefined || Number(length) > ip.width ? undefined : new Cidr(ip, Number(length));
}
