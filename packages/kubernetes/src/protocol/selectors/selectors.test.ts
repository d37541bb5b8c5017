import { describe, expect, it } from "vitest";
import { issueText } from "../field-issue.ts";
import { formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
import {
  formatSelector,
  type LabelSelector,
  type Labels,
  matchesLabels,
  parseLabelSelector,
} from "./label-selector.ts";
import { parseSelectorText } from "./label-selector-text.ts";

describe("a label selector as text", () => {
  const labels: Labels = { env: "prod", tier: "", cores: "8", "quota.miloapis.com/policy": "p" };
  const matching: Record<string, boolean> = {
    "": true,
    "env=prod": true,
    "env==prod": true,
    "env = prod": true,
    "env!=prod": false,
    "env!=dev": true,
    "absent!=dev": true,
    "env in (dev,prod)": true,
    "env in (dev, staging)": false,
    "env notin (dev)": true,
    "absent notin (dev)": true,
    "absent in (dev)": false,
    env: true,
    absent: false,
    "!env": false,
    "!absent": true,
    "tier=": true,
    "tier in ()": true,
    "tier in (,x)": true,
    "env in ()": false,
    "env=prod,tier": true,
    "env=prod,!tier": false,
    "cores>4": true,
    "cores>8": false,
    "cores<9": true,
    "env>4": false,
    "absent<4": false,
    "quota.miloapis.com/policy=p": true,
    toString: false,
    "env in (in,notin,prod)": true,
  };
  for (const [text, matches] of Object.entries(matching)) {
    it(`${text || "nothing"} ${matches ? "matches" : "does not match"}`, () => {
      const parsed = parseSelectorText(text);
      expect(parsed.ok && matchesLabels(parsed.value, labels)).toBe(matches);
    });
  }

  const rejected: Record<string, string> = {
    ",": "found ',', expected: !, identifier, or 'end of string'",
    "=a": "found '=', expected: !, identifier, or 'end of string'",
    "a,": "found '', expected: identifier after ','",
    "a=b=c": "found '=', expected: ',' or 'end of string'",
    "a b": "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    "a in b": "unable to parse requirement: found 'b', expected: '('",
    "a in (": "unable to parse requirement: found '', expected: ',', ')' or identifier",
    "a in (b": "unable to parse requirement: found '', expected: ',' or ')'",
    "a in (b c)": "unable to parse requirement: found 'c', expected: ',' or ')'",
    "!": "unable to parse requirement: found '', expected: identifier",
    "!env=prod": "found '=', expected: ',' or 'end of string'",
    "!env in (a)": "found 'in', expected: ',' or 'end of string'",
    "a==(": "unable to parse requirement: found '(', expected: identifier",
    "a>b":
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
  };
  for (const [text, message] of Object.entries(rejected)) {
    it(`rejects ${text}`, () => expect(parseSelectorText(text)).toEqual({ ok: false, message }));
  }

  it("rejects a key and a value that are not valid in a label", () => {
    expect(parseSelectorText("a/b/c=x")).toMatchObject({
      message: expect.stringContaining('unable to parse requirement: <nil>: Invalid value: "a/b/c": a qualified name'),
    });
    expect(parseSelectorText("env in (ok,b@d)")).toMatchObject({
      message: expect.stringContaining('values[1][env]: Invalid value: "b@d": a valid label must be'),
    });
  });

  it("formats equal selectors equally", () => {
    const parsed = parseSelectorText("z , b in (y,x,x),!a,c notin (q),k!=v,n>3,m<4");
    expect(parsed.ok && formatSelector(parsed.value)).toBe("!a,b in (x,y),c!=q,k!=v,m<4,n>3,z");
  });
});

describe("a LabelSelector object", () => {
  const labels: Labels = { location: "DFW", type: "d1" };
  const matching: Record<string, [LabelSelector, boolean]> = {
    "an empty one matches all": [{}, true],
    "matchLabels must all hold": [{ matchLabels: { location: "DFW", type: "d2" } }, false],
    "labels and expressions must both hold": [
      { matchLabels: { location: "DFW" }, matchExpressions: [{ key: "type", operator: "NotIn", values: ["d1"] }] },
      false,
    ],
    "In matches one of its values": [
      { matchExpressions: [{ key: "location", operator: "In", values: ["LHR", "DFW"] }] },
      true,
    ],
    "Exists requires the key": [{ matchExpressions: [{ key: "location", operator: "Exists" }] }, true],
    "DoesNotExist requires its absence": [{ matchExpressions: [{ key: "location", operator: "DoesNotExist" }] }, false],
    "NotIn matches where the key is missing": [
      { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] },
      true,
    ],
  };
  for (const [name, [selector, matches]] of Object.entries(matching)) {
    it(name, () => {
      const parsed = parseLabelSelector(selector, "");
      expect(parsed.ok && matchesLabels(parsed.value, labels)).toBe(matches);
    });
  }

  it("reports every issue under its path", () => {
    const parsed = parseLabelSelector(
      {
        matchLabels: { "bad key": "x", fine: "b@d" },
        matchExpressions: [
          { key: "a", operator: "In" },
          { key: "a", operator: "Exists", values: ["x"] },
          { key: "a", operator: "Equals", values: ["x"] },
          { key: "", operator: "NotIn", values: ["b@d"] },
        ],
      },
      "spec.dimensionSelector",
    );
    expect(parsed.ok ? [] : parsed.issues.map(issueText).map((text) => text.slice(0, 110))).toEqual([
      expect.stringMatching(/^spec\.dimensionSelector\.matchLabels: Invalid value: "bad key": name part must consist/),
      expect.stringMatching(/^spec\.dimensionSelector\.matchLabels\[fine\]: Invalid value: "b@d"/),
      expect.stringMatching(/matchExpressions\[0\]\.values: Invalid value: \[\]: for 'in', 'notin' operators/),
      expect.stringMatching(/matchExpressions\[1\]\.values: Invalid value: \["x"\]: values set must be empty/),
      expect.stringMatching(/matchExpressions\[2\]\.operator: Unsupported value: "Equals": supported/),
      expect.stringMatching(/matchExpressions\[3\]\.key: Invalid value: "": name part must be non-empty/),
      expect.stringMatching(/matchExpressions\[3\]\.values\[0\]: Invalid value: "b@d"/),
    ]);
  });
});

describe("a field selector", () => {
  const fields: Record<string, string> = { "metadata.name": "web", "spec.type": "a,b=c\\d" };
  const matching: Record<string, boolean> = {
    "": true,
    "metadata.name=web": true,
    "metadata.name==web": true,
    "metadata.name!=web": false,
    "metadata.name=web,spec.type!=x": true,
    "metadata.namespace=": true,
    "spec.type=a\\,b\\=c\\\\d": true,
    ",,metadata.name=web,": true,
  };
  for (const [text, matches] of Object.entries(matching)) {
    it(`${text || "nothing"} ${matches ? "matches" : "does not match"}`, () => {
      const parsed = parseFieldSelector(text);
      expect(parsed.ok && matchesFields(parsed.value, (field) => fields[field] ?? "")).toBe(matches);
    });
  }

  const rejected: Record<string, string> = {
    "metadata.name": "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
    "a=b\\x": "invalid field selector: invalid escape sequence: \\x",
    "a=b\\": "invalid field selector: invalid escape sequence: \\",
    "a=b=c": "invalid field selector: unescaped character in value: 61",
  };
  for (const [text, message] of Object.entries(rejected)) {
    it(`rejects ${text}`, () => expect(parseFieldSelector(text)).toEqual({ ok: false, message }));
  }

  it("escapes values so that they can be parsed again", () => {
    const parsed = parseFieldSelector("a=x\\,y,b!=z\\=\\\\");
    expect(parsed.ok && formatFieldSelector(parsed.value)).toBe("a=x\\,y,b!=z\\=\\\\");
  });
});
