import { describe, expect, it } from "vitest";
import { readGuide } from "./guide.ts";

const fenced = (language: string, ...lines: readonly string[]): string =>
  [`\`\`\`${language}`, ...lines, "```", ""].join("\n");

describe("a guide", () => {
  it("has commands, each with what it prints", () => {
    const text = `# Title\n\n${fenced("console", "$ one \\", "    more", "said", "", "$ two")}`;
    expect(readGuide(text)).toEqual([
      { kind: "command", line: 4, command: "one \\\n    more", shown: ["said", ""] },
      { kind: "command", line: 8, command: "two", shown: [] },
    ]);
  });

  it("shows files where a block begins with the name of one", () => {
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

  it("has pictures and fragments that are neither", () => {
    expect(readGuide(fenced("text", "a -> b") + fenced("yaml", "spec: {}"))).toEqual([]);
  });

  it("hides no command from the test", () => {
    expect(() => readGuide(fenced("sh", "rm x"))).toThrow("line 2: commands belong into a console block");
    expect(() => readGuide(fenced("console", "rm x"))).toThrow("line 2: output without a command");
    expect(() => readGuide("```console\n$ x")).toThrow("line 2: the block is never closed");
  });
});
