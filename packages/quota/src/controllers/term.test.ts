import { describe, expect, it } from "vitest";
import { Term } from "./term.ts";

describe("the end of a term", () => {
  it("stops every controller, the last one first, even if one fails to stop", async () => {
    const term = new Term();
    const stopped: string[] = [];
    term.start({ stop: () => void stopped.push("first") });
    term.start({
      stop: () => {
        throw new Error("cannot stop");
      },
    });
    term.start({ stop: async () => void stopped.push("last") });
    await expect(term.stop()).rejects.toThrow("cannot stop");
    expect(stopped).toEqual(["last", "first"]);
  });
});
