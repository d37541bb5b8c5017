import { createHash, type X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type CertificateSubject, certificateSubject } from "../../certificates/certificate-subject.ts";

/** The user that a certificate authenticates. `anonymous`: it is valid but names no user. */
export type CertificateVerdict =
  | { readonly outcome: "user"; readonly user: UserInfo }
  | { readonly outcome: "anonymous" }
  | { readonly outcome: "refused"; readonly because: string };

const clientPurpose = "1.3.6.1.5.5.7.3.2";
const anyPurpose = "2.5.29.37.0";
const credentialId = "authentication.kubernetes.io/credential-id";

/** Verifies certificates against authorities; results that do not depend on time are computed once per certificate. */
export class ClientCertificates {
  readonly #authorities: readonly X509Certificate[];
  readonly #cache = new WeakMap<X509Certificate, CachedVerdict>();

  constructor(authorities: readonly X509Certificate[]) {
    this.#authorities = authorities;
  }

  verdictOn(certificate: X509Certificate, nowMs: number): CertificateVerdict {
    const cached = this.#cache.get(certificate) ?? readCertificate(certificate, this.#authorities);
    this.#cache.set(certificate, cached);
    if (cached.subjects.some((subject) => nowMs < subject.notBeforeMs)) return refused("it is not valid yet");
    if (cached.subjects.some((subject) => nowMs > subject.notAfterMs)) return refused("it has expired");
    return cached.verdict;
  }
}

interface CachedVerdict {
  readonly verdict: CertificateVerdict;
  /** Of the certificate and of its issuer: the validity of both is checked. */
  readonly subjects: readonly CertificateSubject[];
}

function readCertificate(certificate: X509Certificate, authorities: readonly X509Certificate[]): CachedVerdict {
  try {
    const issuer = authorities.find((authority) => isIssuedBy(certificate, authority));
    if (issuer === undefined) return { verdict: refused("it is not issued by an authority we know"), subjects: [] };
    const subject = certificateSubject(certificate);
    return { verdict: verdictFor(certificate, subject), subjects: [subject, certificateSubject(issuer)] };
  } catch (error) {
    return { verdict: refused(`it cannot be read: ${(error as Error).message}`), subjects: [] };
  }
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function verdictFor(certificate: X509Certificate, subject: CertificateSubject): CertificateVerdict {
  const purposes: readonly string[] | undefined = certificate.keyUsage;
  const isForClients = purposes === undefined || purposes.includes(clientPurpose) || purposes.includes(anyPurpose);
  if (!isForClients) return refused("it is not made for clients");
  if (subject.commonName === "") return { outcome: "anonymous" };
  if (subject.uids.length > 1) return refused(`expected 1 UID, but found multiple: [${subject.uids.join(" ")}]`);
  if (subject.uids[0] === "") return refused("UID cannot be an empty string");
  const digest = createHash("sha256").update(certificate.raw).digest("hex");
  const user: UserInfo = {
    username: subject.commonName,
    uid: subject.uids[0] ?? "",
    groups: subject.organizations,
    extra: { [credentialId]: [`X509SHA256=${digest}`] },
  };
  return { outcome: "user", user };
}

function refused(because: string): CertificateVerdict {
  return { outcome: "refused", because };
}

const peers = new WeakMap<TLSSocket, { readonly certificate: X509Certificate | undefined }>();

/** The certificate the peer presented; read once, because it does not change during a connection. */
export function peerCertificateOf(socket: unknown): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const peer = peers.get(socket) ?? { certificate: socket.getPeerX509Certificate() };
  peers.set(socket, peer);
  return peer.certificate;
}
