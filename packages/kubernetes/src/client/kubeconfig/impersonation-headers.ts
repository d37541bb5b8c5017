import type { Impersonation } from "./kubeconfig-entries.ts";

/** The headers that impersonate another user. */
export function impersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Readonly<Record<string, string | readonly string[]>> {
  if (user === "") return {};
  return {
    "impersonate-user": user,
    ...(uid === "" ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escaped(key)}`.toLowerCase(), values]),
    ),
  };
}

/** Percent-encodes characters that are not allowed in header names. */
function escaped(key: string): string {
  return [...Buffer.from(key)].map(escapedByte).join("");
}

function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
