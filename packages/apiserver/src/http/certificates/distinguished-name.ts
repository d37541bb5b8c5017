import { element, objectIdentifier, sequence, tags, utf8String } from "./der-writer.ts";

/** Kubernetes' own attribute for a user's uid is among them. */
export const attributeIdentifiers = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  uid: "1.3.6.1.4.1.57683.2",
} as const;

/** Whom a certificate is for: the common name is a user, each organization one of its groups. */
export interface DistinguishedName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export function nameElement({ commonName, organizations = [] }: DistinguishedName): Buffer {
  const parts = organizations.map((organization) => attribute(attributeIdentifiers.organization, organization));
  return sequence(...parts, attribute(attributeIdentifiers.commonName, commonName));
}

function attribute(identifier: string, value: string): Buffer {
  return element(tags.set, sequence(objectIdentifier(identifier), utf8String(value)));
}
