import { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { QuotaOptions } from "../core/resources/quota-options.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import type { Runtime } from "../views/runtime.ts";
import type { Views } from "../views/views.ts";
import { denialEvent } from "./denial-event.ts";
import { FigureViews } from "./figures/figure-views.ts";
import type { KnownFigures } from "./figures/known-figures.ts";
import { GrantController } from "./grant-controller.ts";
import type { LeaderTransactions } from "./leader-transactions.ts";
import type { ForcedClaim } from "./ownership/forced/supply.ts";
import { Ownership } from "./ownership/ownership.ts";
import { ClaimPolicyReadiness } from "./policies/claim-policy-readiness.ts";
import { GrantEngine } from "./policies/grant-engine.ts";
import { GrantPolicyReadiness } from "./policies/grant-policy-readiness.ts";
import { ParentContexts } from "./policies/parent-contexts.ts";
import { RegistrationController } from "./registration-controller.ts";
import { Term } from "./term.ts";
import { BucketWriter } from "./writer/bucket-writer.ts";
import { ForcedClaims } from "./writer/claims/forced-claims.ts";
import type { BucketViews } from "./writer/pages/bucket-views.ts";
import type { DecisionListener, Leadership } from "./writer/writer-deps.ts";

interface Ground {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly leadership: Leadership;
  readonly told: DecisionListener;
  readonly events: Pick<EventRecorder, "record">;
  /** Told of figures as soon as they change. */
  readonly known: KnownFigures;
  readonly transactions: LeaderTransactions;
  readonly quota: QuotaOptions;
}

/** Starts all controllers, each after those it needs. */
export function leadWith(ground: Ground): Term {
  const { runtime, views, events, told } = ground;
  const { enforcement } = ground.quota;
  const term = new Term();
  const directory = new KindDirectory((plane) => runtime.planes.client(plane), runtime.clock);
  term.start(new RegistrationController(runtime, views));
  term.start(new GrantController(runtime, views, events));
  const forced = new ForcedClaims();
  const writer = startWriter(term, ground, forced);
  const policies = views.claimPolicyIndex;
  term.start(new ClaimPolicyReadiness({ runtime, index: policies, directory, enforcement }));
  const onForced = ({ why }: ForcedClaim): void => told.forced?.(why);
  const ownership = term.start(
    new Ownership({ runtime, views, policies, directory, forced, shrinker: writer, events, onForced }),
  );
  const { transactions } = ground;
  transactions.lead({ transactions: writer.transactions, releases: ownership.releases, needs: ownership.needs });
  term.start({ stop: () => transactions.end() });
  startGrantPolicies(term, ground, directory);
  return term;
}

function startGrantPolicies(term: Term, { runtime, views, events }: Ground, directory: KindDirectory): void {
  const index = views.grantPolicyIndex;
  const parents = new ParentContexts();
  term.start(new GrantPolicyReadiness({ runtime, index, directory, parents }));
  term.start(new GrantEngine({ runtime, views, index, directory, parents, events }));
}

function startWriter(term: Term, ground: Ground, forced: ForcedClaims): BucketWriter {
  const { runtime, views, leadership, known } = ground;
  const observer = withEvents(ground);
  const figures = term.start(new FigureViews(runtime, views, leadership));
  const shown: BucketViews = {
    changed: (key, read) => {
      known.changed(key, read);
      figures.changed(key, read);
    },
  };
  const seen = { views, registrations: views.registrationIndex, forced };
  const writer = term.start(new BucketWriter({ ...seen, runtime, leadership, shown, observer }));
  void writer.ready.then(() => figures.sweep((key) => writer.knows(key)));
  return writer;
}

/** A denial stays known after its claim is gone. */
function withEvents({ told, events }: Ground): DecisionListener {
  return {
    ...told,
    decided: (plane, decision, claim) => {
      told.decided?.(plane, decision, claim);
      if (decision === "granted") return;
      const { namespace, name, uid } = claim;
      const subject = { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
      events.record(plane, subject, denialEvent(claim));
    },
  };
}
