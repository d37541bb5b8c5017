import type { X509Certificate } from "node:crypto";
import { attributeIdentifiers } from "./distinguished-name.ts";

/** Subject and validity of a certificate. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Attributes by their short name, or by their identifier where Node knows no name. */
type Attributes = Readonly<Record<string, string | readonly string[]>>;

/**
 * Reads Node's attributes object, whose values are exact; Node's subject string escapes them. Throws on unreadable
 * times.
 */
export function certificateSubject(certificate: X509Certificate): CertificateSubject {
  const attributes = certificate.toLegacyObject().subject as unknown as Attributes;
  const valuesOf = (name: string): readonly string[] => [attributes[name] ?? []].flat();
  return {
    commonName: valuesOf("CN").at(-1) ?? "",
    organizations: valuesOf("O"),
    uids: valuesOf(attributeIdentifiers.uid),
    notBeforeMs: milliseconds(certificate.validFrom),
    notAfterMs: milliseconds(certificate.validTo),
  };
}

/**
 * Milliseconds since 1970, from `Nov  5 01:02:03 2036 GMT`. Years of fewer digits are rejected: Date would take them
 * for years of this century.
 */
function milliseconds(text: string): number {
  // biome-ignore lint/style/noRestrictedGlobals: reads a text; what time it is plays no part
  const ms = / \d{4} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new Error(`unreadable time: ${text}`);
  return ms;
}
