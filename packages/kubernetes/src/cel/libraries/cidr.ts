import { boolType, cidrType, intType, ipType, stringType } from "../cel-type.ts";
import { toText } from "../values/conversions.ts";
import { excerpt } from "../values/excerpt.ts";
import { Failure } from "../values/failure.ts";
import { type Cidr, parseCidr } from "../values/network/cidr.ts";
import type { Outcome } from "../values/value.ts";
import { callCost, textCost } from "./costs.ts";
import { ipFrom } from "./ip.ts";
import { type FunctionDeclaration, free, type Library, method, signatures } from "./library.ts";

function cidrFrom(text: string): Cidr | Failure {
  const message = `network address parse error during conversion from string: "${excerpt(text)}"`;
  return parseCidr(text) ?? new Failure("conversion", message);
}

function containsIpText(cidr: Cidr, text: string): Outcome {
  const address = ipFrom(text);
  return address instanceof Failure ? address : cidr.contains(address);
}

function containsCidrText(cidr: Cidr, text: string): Outcome {
  const other = cidrFrom(text);
  return other instanceof Failure ? other : cidr.includes(other);
}

/** Compares two addresses, parsing one of them if it is a string. */
function comparingCost(base: number) {
  return (_: Cidr, other: unknown) => base + (typeof other === "string" ? textCost(other) : 0);
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "cidr",
    overloads: [free([stringType], cidrType, cidrFrom, textCost)],
    summary: "Parses a network in CIDR notation.",
    example: 'cidr("10.0.0.0/8").prefixLength() == 8',
  },
  {
    name: "isCIDR",
    overloads: [free([stringType], boolType, (text) => parseCidr(text) !== undefined, textCost)],
    summary: "Whether a string is a network in CIDR notation.",
    example: 'isCIDR("::1/128") && !isCIDR("10.0.0.0/33")',
  },
  {
    name: "containsIP",
    overloads: [
      method([cidrType, stringType], boolType, containsIpText, comparingCost(1)),
      method([cidrType, ipType], boolType, (cidr, address) => cidr.contains(address), comparingCost(1)),
    ],
    summary: "Whether the network contains an address, given as an IP or a string.",
    example: 'cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))',
  },
  {
    name: "containsCIDR",
    overloads: [
      method([cidrType, stringType], boolType, containsCidrText, comparingCost(2)),
      method([cidrType, cidrType], boolType, (cidr, other) => cidr.includes(other), comparingCost(2)),
    ],
    summary: "Whether the network contains another one, given as a CIDR or a string.",
    example: 'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")',
  },
  {
    name: "ip",
    overloads: [method([cidrType], ipType, ({ address }) => address, callCost)],
    summary: "The IP address of the CIDR.",
    example: 'cidr("10.0.0.1/8").ip() == ip("10.0.0.1")',
  },
  {
    name: "prefixLength",
    overloads: [method([cidrType], intType, ({ length }) => BigInt(length), callCost)],
    summary: "The prefix length.",
    example: 'cidr("::1/128").prefixLength() == 128',
  },
  {
    name: "masked",
    overloads: [method([cidrType], cidrType, ({ masked }) => masked, callCost)],
    summary: "The CIDR with the host bits set to zero.",
    example: 'cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
  },
  {
    name: "string",
    overloads: signatures(toText, [[[cidrType], stringType]], callCost),
    summary: "The CIDR as a string.",
    example: 'string(cidr("10.0.0.0/8")) == "10.0.0.0/8"',
  },
];

export const cidrLibrary: Library = { name: "cidr", functions, macros: [] };
