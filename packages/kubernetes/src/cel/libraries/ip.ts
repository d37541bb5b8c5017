import { boolType, intType, ipType, stringType } from "../cel-type.ts";
import { toText } from "../values/conversions.ts";
import { excerpt } from "../values/excerpt.ts";
import { Failure } from "../values/failure.ts";
import { type IpAddress, parseIp } from "../values/network/ip-address.ts";
import { callCost, rewriteCost, textCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method, signatures } from "./library.ts";

/** An address, or the parse error. */
export function ipFrom(text: string): IpAddress | Failure {
  return (
    parseIp(text) ??
    new Failure("conversion", `IP Address "${excerpt(text)}" parse error during conversion from string`)
  );
}

function isCanonical(text: string): boolean | Failure {
  const address = ipFrom(text);
  return address instanceof Failure ? address : address.toString() === text;
}

/** A bit prefix of an address. */
type Beginning = readonly [bits: bigint, length: number];

function starts(address: IpAddress, v4: Beginning, v6: Beginning): boolean {
  const [bits, length] = address.family === 4 ? v4 : v6;
  return address.prefix(length) === bits;
}

const isUnspecified = ({ bits }: IpAddress) => bits === 0n;
const isLoopback = (address: IpAddress) => starts(address, [127n, 8], [1n, 128]);
const isMulticast = (address: IpAddress) => starts(address, [0xen, 4], [0xffn, 8]);
const isLinkLocalUnicast = (address: IpAddress) => starts(address, [0xa9fen, 16], [0x3fan, 10]);

/** In IPv6 the second nibble of the second byte holds flags, which are ignored. */
function isLinkLocalMulticast(address: IpAddress): boolean {
  if (address.family === 4) return address.prefix(24) === 0xe00000n;
  return (address.prefix(16) & 0xff0fn) === 0xff02n;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const broadcast = address.family === 4 && address.bits === 0xffffffffn;
  const special = [isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((is) => is(address));
  return !broadcast && !special;
}

function test(
  name: string,
  holds: (address: IpAddress) => boolean,
  summary: string,
  example: string,
): FunctionDeclaration {
  return { name, overloads: [method([ipType], boolType, holds, callCost)], summary, example };
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "ip",
    overloads: [free([stringType], ipType, ipFrom, textCost)],
    summary: "Parses an IPv4 or IPv6 address.",
    example: 'ip("10.0.0.1") == ip("10.0.0.1")',
  },
  {
    name: "isIP",
    overloads: [free([stringType], boolType, (text) => parseIp(text) !== undefined, textCost)],
    summary: "Whether a string is an IP address.",
    example: 'isIP("::1") && !isIP("10.0.0.256")',
  },
  {
    name: "ip.isCanonical",
    overloads: [free([stringType], boolType, isCanonical, rewriteCost)],
    summary: "Whether a string is the canonical form of an IP address.",
    example: 'ip.isCanonical("2001:db8::abcd") && !ip.isCanonical("2001:DB8::ABCD")',
  },
  {
    name: "family",
    overloads: [method([ipType], intType, ({ family }) => BigInt(family), callCost)],
    summary: "4 or 6.",
    example: 'ip("::1").family() == 6',
  },
  test("isUnspecified", isUnspecified, "Whether it is 0.0.0.0 or ::.", 'ip("::").isUnspecified()'),
  test("isLoopback", isLoopback, "Whether it is 127.x.x.x or ::1.", 'ip("127.0.0.1").isLoopback()'),
  test(
    "isLinkLocalMulticast",
    isLinkLocalMulticast,
    "Whether it is 224.0.0.x or in ff02::/16.",
    'ip("ff02::1").isLinkLocalMulticast()',
  ),
  test(
    "isLinkLocalUnicast",
    isLinkLocalUnicast,
    "Whether it is 169.254.x.x or in fe80::/10.",
    'ip("169.254.169.254").isLinkLocalUnicast()',
  ),
  test(
    "isGlobalUnicast",
    isGlobalUnicast,
    "Whether it is none of these, nor any other multicast or broadcast address.",
    'ip("192.168.0.1").isGlobalUnicast()',
  ),
  {
    name: "string",
    overloads: signatures(toText, [[[ipType], stringType]], callCost),
    summary: "An address in its canonical form.",
    example: 'string(ip("2001:DB8::0:1")) == "2001:db8::1"',
  },
];

export const ipLibrary: Library = { name: "ip", functions, macros: [] };
