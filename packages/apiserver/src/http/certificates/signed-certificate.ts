import { type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { timeElement } from "./der-time.ts";
import { bitString, contextElement, objectIdentifier, positiveInteger, sequence } from "./der-writer.ts";

export interface ValidityMs {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** The fields of a certificate, DER-encoded. */
export interface CertificateFields {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly validity: ValidityMs;
  readonly extensions: readonly Buffer[];
}

const versionThree = Buffer.from([2]);
const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
const serialBytes = 16;

/** The certificate of a key, signed by the issuer's key. */
export function signedCertificate(
  statement: CertificateFields,
  about: KeyObject,
  issuerKey: KeyObject,
): X509Certificate {
  const { issuer, subject, validity, extensions } = statement;
  const body = sequence(
    contextElement(0, positiveInteger(versionThree), "constructed"),
    positiveInteger(randomSerial()),
    ecdsaWithSha256,
    issuer,
    sequence(timeElement(validity.notBeforeMs), timeElement(validity.notAfterMs)),
    subject,
    about.export({ type: "spki", format: "der" }),
    contextElement(3, sequence(...extensions), "constructed"),
  );
  const signature = sign("sha256", body, issuerKey);
  return new X509Certificate(sequence(body, ecdsaWithSha256, bitString(signature)));
}

/** Never zero, and without a leading padding byte. */
function randomSerial(): Buffer {
  const serial = randomBytes(serialBytes);
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  return serial;
}
