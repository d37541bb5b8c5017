import type { X509Certificate } from "node:crypto";
import { type DerElement, DerError, readElement, readElements, readObjectIdentifier } from "./der-reader.ts";
import { element } from "./der-writer.ts";

/** The parts of a certificate that Node does not hand out as they are. */
export interface CertificateParts {
  readonly notBefore: DerElement;
  readonly notAfter: DerElement;
  /** The content of the subject. */
  readonly subject: Buffer;
  /** The whole subject, as the certificates it issues must repeat it byte by byte. */
  readonly subjectElement: Buffer;
  readonly subjectKeyIdentifier: Buffer | undefined;
}

const explicitVersion = 0xa0;
const explicitExtensions = 0xa3;
const subjectKeyIdentifier = "2.5.29.14";

/** Throws DerError. */
export function certificateParts(certificate: X509Certificate): CertificateParts {
  const [body] = readElements(readElement(certificate.raw).content);
  const fields = readElements(contentOf(body));
  // The version may be left out; serial, signature algorithm and issuer come before validity and subject.
  const first = fields[0]?.tag === explicitVersion ? 1 : 0;
  const [notBefore, notAfter] = readElements(contentOf(fields[first + 3]));
  const subject = fields[first + 4];
  if (notBefore === undefined || notAfter === undefined || subject === undefined) {
    throw new DerError("certificate ends early");
  }
  return {
    notBefore,
    notAfter,
    subject: subject.content,
    subjectElement: element(subject.tag, subject.content),
    subjectKeyIdentifier: keyIdentifierIn(fields.find((field) => field.tag === explicitExtensions)),
  };
}

function keyIdentifierIn(extensions: DerElement | undefined): Buffer | undefined {
  if (extensions === undefined) return undefined;
  for (const extension of readElements(readElement(extensions.content).content)) {
    const parts = readElements(extension.content);
    const value = parts.at(-1);
    if (parts[0] === undefined || value === undefined) throw new DerError("extension without a value");
    if (readObjectIdentifier(parts[0].content) === subjectKeyIdentifier) return readElement(value.content).content;
  }
  return undefined;
}

function contentOf(part: DerElement | undefined): Buffer {
  if (part === undefined) throw new DerError("certificate ends early");
  return part.content;
}
