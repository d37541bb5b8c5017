import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { describe, expect, it } from "vitest";
import { readYaml } from "./read-yaml.ts";

describe("YAML", () => {
  const read: Record<string, [text: string, value: unknown]> = {
    "of a block": ["a:\n  - b: 1\n    c: [x, {y: z}]\n", { a: [{ b: 1, c: ["x", { y: "z" }] }] }],
    "of JSON": ['{"a": [1, "]}", {"b": null}]}', { a: [1, "]}", { b: null }] }],
    "with aliases": ["a: &x {b: 1}\nc: *x\n", { a: { b: 1 }, c: { b: 1 } }],
    "with a string that looks nested": ["a: |\n  - - - [[[[ {{{{\nb: 1", { a: "- - - [[[[ {{{{\n", b: 1 }],
    "with large integers": ["a: 9007199254740993", { a: 9007199254740993n }],
    "nested to the JSON limit": [
      `${"[".repeat(900)}${"]".repeat(900)}`,
      JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`),
    ],
    "that is empty": ["", null],
  };
  for (const [name, [text, value]] of Object.entries(read)) {
    it(`${name} is read`, () => expect(readYaml(text)).toEqual(value));
  }

  const deep = 20_000;
  const rejected: Record<string, string> = {
    "lists in brackets": "[".repeat(deep),
    "lists in closed brackets": `${"[".repeat(deep)}${"]".repeat(deep)}`,
    "maps in braces": "{a: ".repeat(deep),
    "maps of JSON": `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
    "lists by dashes": `${"- ".repeat(deep)}a`,
    "lists by dashes with anchors": Array.from({ length: deep }, (_, at) => `- &a${at} `).join(""),
    "keys of keys": "? ".repeat(deep),
    "brackets behind an apparent quote": `[a"${"[".repeat(deep)}"`,
    "brackets beside quoted brackets": '["]",'.repeat(deep),
    "brackets closed by other brackets": "[a, }{".repeat(deep) + "[".repeat(deep),
    indentation: Array.from({ length: 2_200 }, (_, at) => `${" ".repeat(at)}a:\n`).join(""),
    "a recursive list": "&a [*a]",
    "aliases of aliases": `a: &a [x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [${at === 0 ? "*a, *a" : `*b${at - 1}, *b${at - 1}`}]\n`).join("")}`,
    NaN: "a: .nan",
    infinity: "a: -.inf",
    "two documents": "a: 1\n---\nb: 2",
    "a duplicate key": "a: 1\na: 2",
  };
  for (const [name, text] of Object.entries(rejected)) {
    it(`with ${name} is rejected`, () => {
      expect(() => readYaml(text)).toThrow(StatusError);
      expect(() => readYaml(text)).toThrow(/^error converting YAML to JSON: yaml: /);
    });
  }
});
