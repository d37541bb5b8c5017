import { createHash, type KeyObject } from "node:crypto";
import {
  bitString,
  contextElement,
  objectIdentifier,
  octetString,
  positiveInteger,
  sequence,
  trueValue,
} from "./der-writer.ts";

/** An uncompressed point of P-256: a prefix byte and two coordinates. */
const pointBytes = 65;

type Weight = "critical" | "optional";

function extension(identifier: string, weight: Weight, value: Buffer): Buffer {
  const mark = weight === "critical" ? [trueValue()] : [];
  return sequence(objectIdentifier(identifier), ...mark, octetString(value));
}

const keyUsage = (bits: number, unused: number) =>
  extension("2.5.29.15", "critical", bitString(Buffer.from([bits]), unused));

const extendedUsage = (purpose: string) => extension("2.5.29.37", "optional", sequence(objectIdentifier(purpose)));

export const serverUsage = extendedUsage("1.3.6.1.5.5.7.3.1");
export const clientUsage = extendedUsage("1.3.6.1.5.5.7.3.2");

/** May sign certificates and revocation lists, but no other authorities. */
export function authorityExtensions(publicKey: KeyObject): readonly Buffer[] {
  const noFurtherAuthorities = positiveInteger(Buffer.from([0]));
  return [
    extension("2.5.29.19", "critical", sequence(trueValue(), noFurtherAuthorities)),
    keyUsage(0b0000_0110, 1),
    subjectKeyIdentifier(publicKey),
  ];
}

/** For a key that signs handshakes only. */
export function holderExtensions(publicKey: KeyObject): readonly Buffer[] {
  return [extension("2.5.29.19", "critical", sequence()), keyUsage(0b1000_0000, 7), subjectKeyIdentifier(publicKey)];
}

export function authorityKeyIdentifier(authorityKey: KeyObject): Buffer {
  return extension("2.5.29.35", "optional", sequence(contextElement(0, keyIdentifierOf(authorityKey), "primitive")));
}

export function subjectAlternativeNames(names: Buffer): Buffer {
  return extension("2.5.29.17", "optional", names);
}

export function subjectKeyIdentifier(publicKey: KeyObject): Buffer {
  return extension("2.5.29.14", "optional", octetString(keyIdentifierOf(publicKey)));
}

/** The usual key identifier: SHA-1 over the key bits. It identifies a key and protects nothing. */
function keyIdentifierOf(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ type: "spki", format: "der" }).subarray(-pointBytes);
  return createHash("sha1").update(point).digest();
}
