import type { X509Certificate } from "node:crypto";
import { certificateParts } from "./certificate-parts.ts";
import { type DerElement, DerError, readElements, readObjectIdentifier } from "./der-reader.ts";
import { readTime } from "./der-time.ts";
import { tags } from "./der-writer.ts";
import { attributeIdentifiers } from "./distinguished-name.ts";

/** What a certificate says about whom it was made for, and for how long. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/**
 * Read from the bytes: the text that Node makes of a subject cannot be told apart from one in which a name holds a
 * line break, and names decide who somebody is. Throws DerError.
 */
export function certificateSubject(certificate: X509Certificate): CertificateSubject {
  const { subject, notBefore, notAfter } = certificateParts(certificate);
  const names = readElements(subject).flatMap((set) => readElements(set.content).map(readName));
  const valuesOf = (type: string) => names.filter((name) => name.type === type).map((name) => name.value);
  return {
    commonName: valuesOf(attributeIdentifiers.commonName).at(-1) ?? "",
    organizations: valuesOf(attributeIdentifiers.organization),
    uids: valuesOf(attributeIdentifiers.uid),
    notBeforeMs: readTime(notBefore),
    notAfterMs: readTime(notAfter),
  };
}

function readName({ content }: DerElement): { readonly type: string; readonly value: string } {
  const [type, value] = readElements(content);
  if (type === undefined || value === undefined) throw new DerError("attribute without a value");
  return { type: readObjectIdentifier(type.content), value: readText(value) };
}

const asciiTags: ReadonlySet<number> = new Set([0x12, 0x13, 0x16]); // numeric, printable, IA5

function readText({ tag, content }: DerElement): string {
  if (tag !== tags.utf8String && !asciiTags.has(tag)) throw new DerError("text in an encoding we do not read");
  return new TextDecoder("utf-8", { fatal: true }).decode(content);
}
