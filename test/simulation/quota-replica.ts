import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { layout } from "./world/layout.ts";
import type { Program } from "./world/world.ts";

/** The controllers with leader election, as one of several replicas. */
export const replica: Program = (host) => {
  const { clock, elapsedMs, random, incarnation, report } = host;
  const planes = planesOfServer(host.transport, layout);
  const runtime = { planes, clock, elapsedMs, random, incarnation, report };
  new Controllers({ runtime, leadership: "elected" }).start();
};
