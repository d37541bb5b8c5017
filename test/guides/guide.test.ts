import { describe, expect, it } from "vitest";
import { readGuide } from "./guide.ts";

const fenced = (language: string, ...lines: readonly string[]): string =>
  [`\`\`\`${language}`, ...lines, "```", ""].join("\n");

describe("a guide", () => {
  it("has commands, each with its output", () => {
    const text = `# Title\n\n${fenced("console", "$ one \\", "    more", "said", "", "$ two")}`;
    expect(readGuide(text)).toEqual([
      { kind: "command", line: 4, command: "one \\\n    more", shown: ["said", ""] },
      { kind: "command", line: 8, command: "two", shown: [] },
    ]);
  });

  it("has a file for a block that begins with a file name", () => {
    const text = fenced("yaml", "# examples/a-policy.yaml: to be filled in", "kind: Policy");
    expect(readGuide(text)).toEqual([
      {
        kind: "file",
        line: 2,
        name: "examples/a-policy.yaml",
        text: "# examples/a-policy.yaml: to be filled in\nkind: Policy\n",
      },
    ]);
  });

  it("ignores diagrams and fragments", () => {
    expect(readGuide(fenced("text", "a -> b") + fenced("yaml", "spec: {}"))).toEqual([]);
  });

  it("rejects commands outside of console blocks", () => {
    expect(() => readGuide(fenced("sh", "rm x"))).toThrow("line 2: commands belong into a console block");
    expect(() => readGuide(fenced("console", "rm x"))).toThrow("line 2: output without a command");
    expect(() => readGuide("```console\n$ x")).toThrow("line 2: the block is never closed");
  });
});
