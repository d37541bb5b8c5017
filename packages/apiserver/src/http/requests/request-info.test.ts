import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { negotiate } from "../responses/accept.ts";
import { parsePath } from "./request-info.ts";

const part = fc.constantFrom("", "api", "apis", "v1", "g", "namespaces", "watch", "status", "finalize", "x", "a%2Fb");
const path = fc.array(part, { maxLength: 10 }).map((parts) => `/${parts.join("/")}`);

describe("the path of a request", () => {
  it("is the concatenation of its parts, and has no resource when one is empty", () => {
    const check = fc.property(path, (text) => {
      const parsed = parsePath(text);
      const parts = decodeURIComponent(text).replace(/^\//, "").replace(/\/$/, "").split("/");
      if (!parsed.isResource) {
        const isShort = parts.length < (parts[0] === "api" ? 3 : 4) || !["api", "apis"].includes(parts[0] ?? "");
        expect(isShort || parts.includes("")).toBe(true);
        return;
      }
      const { group, version, isWatchPath, namespace, resource, name, subresource } = parsed;
      const built = [
        ...(group === "" ? ["api"] : ["apis", group]),
        version,
        ...(isWatchPath ? ["watch"] : []),
        ...(namespace === "" ? [] : ["namespaces", namespace]),
        resource,
        ...(name === "" ? [] : [name]),
        ...(subresource === "" ? [] : subresource.split("/")),
      ];
      expect(built).toEqual(parts);
    });
    fc.assert(check, { numRuns: 2_000 });
  });
});

describe("the content negotiation", () => {
  it("takes a fast path for the common Accept headers, with the result of the full negotiation", () => {
    for (const pretty of [true, false]) {
      for (const [isWatch, isStream] of [
        [false, false],
        [true, false],
        [true, true],
      ] as const) {
        const found = negotiate(" application/json", pretty, isWatch, isStream);
        expect(negotiate("application/json", pretty, isWatch, isStream)).toEqual(found);
      }
    }
  });
});
