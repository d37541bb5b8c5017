import { labelLengthMax, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";

const format = "[a-z]([-a-z0-9]*[a-z0-9])?";
const pattern = new RegExp(`^${format}$`);
const hint =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

/** For versions, plurals and kinds: they become parts of host names and of identifiers. */
export const dnsLabel1035: NameRule = (value) => [
  ...(value.length > labelLengthMax ? [`must be no more than ${labelLengthMax} characters`] : []),
  ...(pattern.test(value) ? [] : [`${hint} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${format}')`]),
];
