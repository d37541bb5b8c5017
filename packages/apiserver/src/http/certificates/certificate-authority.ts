import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { alternativeNamesElement } from "./alternative-names.ts";
import { certificateSubject } from "./certificate-subject.ts";
import { nameElement } from "./distinguished-name.ts";
import {
  authorityExtensions,
  authorityKeyIdentifier,
  clientUsage,
  holderExtensions,
  serverUsage,
  subjectAlternativeNames,
  subjectKeyIdentifier,
} from "./extensions.ts";
import { signedCertificate, type ValidityMs } from "./signed-certificate.ts";

/** A certificate and the key that belongs to it, as they are kept in files. */
export interface KeyedCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export interface CertificateAuthority extends KeyedCertificate {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

export interface Lifetime {
  readonly nowMs: number;
  readonly lifetimeMs: number;
}

/** Allowed clock skew: other clocks would reject a certificate that is valid only from now on. */
const skewMs = 5 * 60_000;

export function createAuthority(commonName: string, lifetime: Lifetime): CertificateAuthority {
  const keys = newKeys();
  const name = nameElement({ commonName });
  const certificate = signedCertificate(
    { issuer: name, subject: name, validity: validityFrom(lifetime), extensions: authorityExtensions(keys.publicKey) },
    keys.publicKey,
    keys.privateKey,
  );
  return { ...keyed(certificate, keys.privateKey), certificate, privateKey: keys.privateKey };
}

/** Throws when certificate and key do not match, or cannot issue certificates. */
export function loadAuthority({ certificatePem, privateKeyPem }: KeyedCertificate): CertificateAuthority {
  const certificate = new X509Certificate(certificatePem);
  const privateKey = createPrivateKey(privateKeyPem);
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error("the private key of the certificate authority does not match its certificate");
  if (!certificate.ca) throw new Error("the certificate of the certificate authority is not a CA certificate");
  if (privateKey.asymmetricKeyType !== "ec" || privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new Error("the key of the certificate authority is not ECDSA P-256, the only supported type");
  }
  if (!isIssuedByThisCode(certificate)) {
    throw new Error(
      "the certificate of the authority was made by another program; only our own can issue certificates",
    );
  }
  return { certificatePem, privateKeyPem, certificate, privateKey };
}

/**
 * Issued certificates must repeat the issuer's name and key identifier byte by byte, and this code encodes them in one
 * way only.
 */
function isIssuedByThisCode(authority: X509Certificate): boolean {
  return [nameOf(authority), subjectKeyIdentifier(authority.publicKey)].every((part) => authority.raw.includes(part));
}

function nameOf(authority: X509Certificate): Buffer {
  return nameElement(certificateSubject(authority));
}

export interface ServerNames {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export function issueServerCertificate(
  authority: CertificateAuthority,
  names: ServerNames,
  lifetime: Lifetime,
): KeyedCertificate {
  const extensions = [serverUsage, subjectAlternativeNames(alternativeNamesElement(names))];
  return issue(authority, { subject: nameElement({ commonName: names.commonName }), extensions }, lifetime);
}

export interface ClientName {
  readonly user: string;
  readonly groups: readonly string[];
}

export function issueClientCertificate(
  authority: CertificateAuthority,
  { user, groups }: ClientName,
  lifetime: Lifetime,
): KeyedCertificate {
  if (user === "") throw new Error("a client certificate requires a user name");
  const subject = nameElement({ commonName: user, organizations: groups });
  return issue(authority, { subject, extensions: [clientUsage] }, lifetime);
}

interface Holder {
  readonly subject: Buffer;
  readonly extensions: readonly Buffer[];
}

function issue(authority: CertificateAuthority, holder: Holder, lifetime: Lifetime): KeyedCertificate {
  const keys = newKeys();
  const authorityKey = authority.certificate.publicKey;
  const certificate = signedCertificate(
    {
      issuer: nameOf(authority.certificate),
      subject: holder.subject,
      validity: within(validityFrom(lifetime), authority.certificate),
      extensions: [...holderExtensions(keys.publicKey), authorityKeyIdentifier(authorityKey), ...holder.extensions],
    },
    keys.publicKey,
    authority.privateKey,
  );
  return keyed(certificate, keys.privateKey);
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function validityFrom({ nowMs, lifetimeMs }: Lifetime): ValidityMs {
  return { notBeforeMs: nowMs - skewMs, notAfterMs: nowMs + lifetimeMs };
}

/** A certificate expires no later than its issuer. */
function within({ notBeforeMs, notAfterMs }: ValidityMs, authority: X509Certificate): ValidityMs {
  return { notBeforeMs, notAfterMs: Math.min(notAfterMs, certificateSubject(authority).notAfterMs) };
}

function keyed(certificate: X509Certificate, privateKey: KeyObject): KeyedCertificate {
  return {
    certificatePem: certificate.toString(),
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
