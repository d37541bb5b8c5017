import type { X509Certificate } from "node:crypto";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { certificateSubject } from "./certificate-subject.ts";

/** Renew when a third of the lifetime is left, which leaves a long time for retries. */
const lifeLeftMin = 1 / 3;

export function needsRenewal(certificate: X509Certificate, clock: Clock): boolean {
  const { notBeforeMs, notAfterMs } = certificateSubject(certificate);
  const now = clock.now();
  return now < notBeforeMs || notAfterMs - now < (notAfterMs - notBeforeMs) * lifeLeftMin;
}
