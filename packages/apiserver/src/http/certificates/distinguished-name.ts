import { element, objectIdentifier, sequence, tags, utf8String } from "./der-writer.ts";

/** Includes Kubernetes' own attribute for a user's uid. */
export const attributeIdentifiers = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  uid: "1.3.6.1.4.1.57683.2",
} as const;

/** The subject of a certificate: the common name is the user, each organization a group. */
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
