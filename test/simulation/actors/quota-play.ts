import { AdmissionBook } from "../invariants/admission-book.ts";
import { QuotaChecker } from "../invariants/quota-checker.ts";
import type { Playwright } from "../world/world.ts";
import { AdmissionWay, doorMachines } from "./door.ts";
import { InnerDoor } from "./inner-door.ts";
import { writeScript } from "./script.ts";
import { drawWorld } from "./tiny-world.ts";

/** Clocks are set by minutes, more than once, and run fast or slow. */
const clocksDifferMs = 400_000;

const tolerances = { clocksDifferMs, unsureMs: 2 * clocksDifferMs };

/** Operators, services, clients and doors, with too little quota for all of them; and who judges what comes of it. */
export const quotaPlay: Playwright = (world, random, size) => {
  const book = new AdmissionBook();
  const tiny = drawWorld(random);
  const checker = new QuotaChecker(world, book, tolerances);
  world.guard(new AdmissionWay(world, book, tiny.doorIsTold).guard);
  const steps = writeScript({ tiny, random, book }, size);
  return { steps, checker, machines: [...doorMachines, "client-1", "service-1"] };
};

/** The same with everything that decides in the process of the API server. */
export const embeddedPlay: Playwright = (world, random, size) => {
  const book = new AdmissionBook();
  const tiny = drawWorld(random);
  const checker = new QuotaChecker(world, book, tolerances);
  new InnerDoor(world, book);
  const steps = writeScript({ tiny, random, book }, size);
  return { steps, checker, machines: ["client-1", "service-1"] };
};
