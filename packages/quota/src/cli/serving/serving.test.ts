import { expect, it } from "vitest";
import { type ServingFlags, serveUntilEnded } from "./serving-flags.ts";

it("who has read that a server is there may end it: by then it listens for that", async () => {
  const order: string[] = [];
  const server = { url: "https://127.0.0.1:1", stop: async () => void order.push("stops") };
  const ports = {
    start: async () => server,
    elapsedMs: () => 0,
    ended: async () => void order.push("listens"),
    shell: undefined,
  } as unknown as Parameters<typeof serveUntilEnded>[1];
  const welcome = (): string => {
    order.push("says that it is there");
    return "";
  };
  await serveUntilEnded({ dataDir: "somewhere" } as ServingFlags, ports, welcome);
  expect(order).toEqual(["listens", "says that it is there", "stops"]);
});
