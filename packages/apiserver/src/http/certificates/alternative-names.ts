import { isIP } from "node:net";
import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import { contextElement, sequence } from "./der-writer.ts";

/** The names and addresses that a server is reached under. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const dnsName = 2;
const ipAddress = 7;

export function alternativeNamesElement({ dnsNames, ipAddresses }: AlternativeNames): Buffer {
  return sequence(
    ...dnsNames.map((name) => contextElement(dnsName, Buffer.from(checkedName(name), "latin1"), "primitive")),
    ...ipAddresses.map((address) => contextElement(ipAddress, addressBytes(address), "primitive")),
  );
}

function checkedName(name: string): string {
  if (dnsSubdomain(name.replace(/^\*\./, "").toLowerCase()).length === 0) return name;
  throw new Error(`${JSON.stringify(name)} is not a valid DNS name for a certificate`);
}

/** Four bytes, or sixteen. */
export function addressBytes(address: string): Buffer {
  const family = isIP(address);
  if (family === 4) return Buffer.from(address.split(".").map(Number));
  if (family === 6 && !address.includes("%")) return sixteenBytes(address);
  throw new Error(`${JSON.stringify(address)} is not a valid IP address for a certificate`);
}

function sixteenBytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const front = groupBytes(head);
  const back = tail === undefined ? [] : groupBytes(tail);
  return Buffer.from([...front, ...new Array<number>(16 - front.length - back.length).fill(0), ...back]);
}

/** `1:2:ffff`, or with an IPv4 address as its last two groups. */
function groupBytes(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
