import { networkInterfaces } from "node:os";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import {
  type CertificateAuthority,
  createAuthority,
  issueServerCertificate,
  type KeyedCertificate,
  loadAuthority,
} from "./http/certificates/certificate-authority.ts";
import { loadOrCreateSecret } from "./storage/secret-file.ts";

const yearMs = 365 * 24 * 60 * 60 * 1_000;
const authorityYears = 10;

/** The certificate authority of a data directory, the same at every start; without a directory, one for this run. */
export function authorityOf(directory: string | undefined, clock: Clock): CertificateAuthority {
  const make = (): CertificateAuthority =>
    createAuthority("milo-quota", { nowMs: clock.now(), lifetimeMs: authorityYears * yearMs });
  if (directory === undefined) return make();
  const kept = loadOrCreateSecret(directory, "authority.json", () => {
    const { certificatePem, privateKeyPem } = make();
    return JSON.stringify({ certificatePem, privateKeyPem });
  });
  return loadAuthority(JSON.parse(kept) as KeyedCertificate);
}

/** Created at every start, for the current names of this machine. */
export function serverCertificate(authority: CertificateAuthority, host: string, clock: Clock): KeyedCertificate {
  const own = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  const ipAddresses = [...new Set(["127.0.0.1", "::1", ...own.map(withoutZone)])];
  const dnsNames = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  const isName = !/^[0-9.]+$|:/.test(host);
  const names = { commonName: "milo-quota", dnsNames: isName ? [...dnsNames, host] : dnsNames, ipAddresses };
  return issueServerCertificate(authority, names, { nowMs: clock.now(), lifetimeMs: yearMs });
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}
