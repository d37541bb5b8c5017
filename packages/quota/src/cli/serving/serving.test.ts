import { expect, it } from "vitest";
import { type ServingFlags, serveUntilSignalled } from "./serving-flags.ts";

it("listens for signals before it prints the banner", async () => {
  const order: string[] = [];
  const server = { url: "https://127.0.0.1:1", stop: async () => void order.push("stop") };
  const deps = {
    start: async () => server,
    elapsedMs: () => 0,
    untilSignalled: async () => void order.push("listen"),
    shell: undefined,
  } as unknown as Parameters<typeof serveUntilSignalled>[1];
  const banner = (): string => {
    order.push("banner");
    return "";
  };
  await serveUntilSignalled({ dataDir: "somewhere" } as ServingFlags, deps, banner);
  expect(order).toEqual(["listen", "banner", "stop"]);
});
