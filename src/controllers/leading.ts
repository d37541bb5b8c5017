import { GrantController } from "./grant-controller.ts";
import { RegistrationController } from "./registration-controller.ts";
import type { Runtime } from "./runtime.ts";
import { Term } from "./term.ts";
import { RegistrationIndex } from "./views/registration-index.ts";
import type { Views } from "./views/views.ts";
import { BucketWriter } from "./writer/bucket-writer.ts";
import { ForcedClaims } from "./writer/forced-claims.ts";
import type { DecisionListener, Leadership } from "./writer/ports.ts";

interface Ground {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly leadership: Leadership;
  readonly told: DecisionListener;
}

/** Starts all controllers, each after those it needs. */
export function leadWith({ runtime, views, leadership, told }: Ground): Term {
  const term = new Term();
  const registrations = new RegistrationIndex(views.registrations);
  term.start({ stop: async () => registrations.stop() });
  term.start(new RegistrationController(runtime, views));
  term.start(new GrantController(runtime, views));
  const forced = new ForcedClaims();
  const shown = { changed: () => undefined };
  term.start(new BucketWriter({ runtime, views, registrations, forced, leadership, shown, told }));
  return term;
}
