import { expect, it } from "vitest";
import { conversionFault } from "./conversion-fault.ts";

const into = (what: string, type: string): string =>
  `json: cannot unmarshal ${what} into Go struct field Kind.field of type ${type}`;

const words: Record<string, [decoding: string, converting: string]> = {
  "a number for a text": [into("number", "string"), "cannot convert int64 to string"],
  "a fraction for a count": [into("number 1.5", "int32"), "cannot convert float64 to int32"],
  "a text for a count": [into("string", "int32"), "unrecognized type: int32"],
  "a text for a switch": [into("string", "bool"), "unrecognized type: bool"],
  "a list for a text": [into("array", "string"), "unrecognized type: string"],
  "a text for a map": [into("string", "map[string]string"), "cannot restore map from string"],
  "a map for a list": [into("object", "[]v1.Container"), "cannot restore slice from map"],
  "a type with a name of its own": [into("number", "v1.RestartPolicy"), into("number", "v1.RestartPolicy")],
  "something else": ["illegal base64 data at input byte 0", "illegal base64 data at input byte 0"],
};
for (const [name, [decoding, converting]] of Object.entries(words)) {
  it(`says what is wrong with ${name}`, () => {
    expect(conversionFault(decoding)).toBe(converting);
  });
}
