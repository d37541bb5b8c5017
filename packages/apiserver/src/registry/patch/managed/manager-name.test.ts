import { expect, it } from "vitest";
import { managerOf } from "./manager-name.ts";

const managers: Record<string, [fieldManager: string, userAgent: string, manager: string]> = {
  "the name that the request gives": ["mine", "kubectl/v1", "mine"],
  "the program of the User-Agent": ["", "kubectl/v1.34.4 (linux/amd64) kubernetes/abc", "kubectl"],
  "a User-Agent without a version": ["", "curl", "curl"],
  "the printable characters of the User-Agent": ["", "a\u0007b c\u00a0d/1", "ab cd"],
  "at most 128 bytes of the User-Agent": ["", "é".repeat(70), "é".repeat(64)],
  "empty without a User-Agent": ["", "", ""],
};
for (const [name, [fieldManager, userAgent, manager]] of Object.entries(managers)) {
  it(`a manager is ${name}`, () => expect(managerOf(fieldManager, userAgent)).toBe(manager));
}
