import type { X509Certificate } from "node:crypto";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { certificateSubject } from "./certificate-subject.ts";

/** Renewed when a third of its life is left, so that a renewal that fails can be tried for a long time. */
const lifeLeftMin = 1 / 3;

export function needsRenewal(certificate: X509Certificate, clock: Clock): boolean {
  const { notBeforeMs, notAfterMs } = certificateSubject(certificate);
  const now = clock.now();
  return now < notBeforeMs || notAfterMs - now < (notAfterMs - notBeforeMs) * lifeLeftMin;
}
