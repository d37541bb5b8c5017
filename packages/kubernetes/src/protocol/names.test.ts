import { describe, expect, it } from "vitest";
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from "./names.ts";

const long = (length: number): string => "a".repeat(length);

const labelHint =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainHint =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const namePartHint =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueHint =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe("a DNS label", () => {
  const cases: Record<string, readonly string[]> = {
    a: [],
    "web-1": [],
    [long(63)]: [],
    [long(64)]: ["must be no more than 63 characters"],
    "": [labelHint],
    "a.b": ["must not contain dots"],
    "-a": [labelHint],
    "a-": [labelHint],
    Web: [labelHint],
    a_b: [labelHint],
    "a\n": [labelHint],
  };
  for (const [value, issues] of Object.entries(cases)) {
    it(JSON.stringify(value), () => expect(dnsLabel(value)).toEqual(issues));
  }
});

describe("a DNS subdomain", () => {
  const cases: Record<string, readonly string[]> = {
    "quota.miloapis.com": [],
    a: [],
    [`${long(63)}.${long(63)}.${long(63)}.${long(61)}`]: [],
    [`${long(63)}.${long(63)}.${long(63)}.${long(62)}`]: ["must be no more than 253 characters"],
    "": [subdomainHint],
    "a..b": [subdomainHint],
    ".a": [subdomainHint],
    "A.b": [subdomainHint],
  };
  for (const [value, issues] of Object.entries(cases)) {
    it(JSON.stringify(value), () => expect(dnsSubdomain(value)).toEqual(issues));
  }
});

describe("a qualified name", () => {
  const cases: Record<string, readonly string[]> = {
    env: [],
    "quota.miloapis.com/policy": [],
    "1-num.2-num/3-num": [],
    "": ["name part must be non-empty", namePartHint],
    "/a": ["prefix part must be non-empty"],
    "a/": ["name part must be non-empty", namePartHint],
    "A.com/b": [`prefix part ${subdomainHint}`],
    [long(64)]: ["name part must be no more than 63 characters"],
    "a/b/c": [
      `a qualified name ${namePartHint.replace("name part ", "")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    "with space": [namePartHint],
  };
  for (const [value, issues] of Object.entries(cases)) {
    it(JSON.stringify(value), () => expect(qualifiedName(value)).toEqual(issues));
  }
});

describe("a label value", () => {
  const cases: Record<string, readonly string[]> = {
    "": [],
    "MyValue_1.2-3": [],
    [long(64)]: ["must be no more than 63 characters"],
    "-a": [labelValueHint],
    "a b": [labelValueHint],
  };
  for (const [value, issues] of Object.entries(cases)) {
    it(JSON.stringify(value), () => expect(labelValue(value)).toEqual(issues));
  }
});
