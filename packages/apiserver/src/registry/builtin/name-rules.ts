import { labelLengthMax, type NameRule } from "@milo-quota/kubernetes/protocol/names.ts";

const format = "[a-z]([-a-z0-9]*[a-z0-9])?";
const hint =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

/** RFC 1035 label: starts with a letter. */
export const dns1035Label: NameRule = (value) => [
  ...(value.length > labelLengthMax ? [`must be no more than ${labelLengthMax} characters`] : []),
  ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)
    ? []
    : [`${hint} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${format}')`]),
];

const keyFormat = "[-._a-zA-Z0-9]+";

/** Keys of ConfigMaps and Secrets, which become file names. */
export const configMapKey: NameRule = (key) => {
  if (key.length > 253) return ["must be no more than 253 characters"];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    const shown = "'key.name',  or 'KEY_NAME',  or 'key-name'";
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    return [`${rule} (e.g. ${shown}, regex used for validation is '${keyFormat}')`];
  }
  if (key === "." || key === "..") return [`must not be '${key}'`];
  return key.startsWith("..") ? ["must not start with '..'"] : [];
};
