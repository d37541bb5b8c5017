import { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import type { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { QuotaOptions } from "../core/resources/quota-options.ts";
import { quotaApiVersion } from "../core/resources/well-known.ts";
import type { Runtime } from "../views/runtime.ts";
import { TriggerSchemas } from "../views/trigger-schemas.ts";
import type { Views } from "../views/views.ts";
import { ClaimReleases } from "./consumers/claim-releases.ts";
import { ConsumerUids } from "./consumers/consumer-uids.ts";
import { denialEvent } from "./denial-event.ts";
import { FigureViewController } from "./figures/figure-view-controller.ts";
import type { FiguresCache } from "./figures/figures-cache.ts";
import { GrantController } from "./grant-controller.ts";
import type { LeaderTransactions } from "./leader-transactions.ts";
import type { ForcedClaim } from "./ownership/forced/missing-claim-creator.ts";
import { Ownership } from "./ownership/ownership.ts";
import { ClaimPolicyReadiness } from "./policies/claim-policy-readiness.ts";
import { GrantEngine } from "./policies/grant-engine.ts";
import { GrantPolicyReadiness } from "./policies/grant-policy-readiness.ts";
import { ParentContexts } from "./policies/parent-contexts.ts";
import { RegistrationController } from "./registration-controller.ts";
import { Term } from "./term.ts";
import { BucketWriter } from "./writer/bucket-writer.ts";
import type { FiguresObserver } from "./writer/buckets/figures-observer.ts";
import { ClaimPhases } from "./writer/claims/claim-phases.ts";
import { ForcedClaims } from "./writer/claims/forced-claims.ts";
import type { ConsumerLookup, DecisionObserver, Leadership } from "./writer/writer-deps.ts";

interface LeaderDeps {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly leadership: Leadership;
  readonly observer: DecisionObserver;
  readonly events: Pick<EventRecorder, "record">;
  readonly figures: FiguresCache;
  readonly transactions: LeaderTransactions;
  readonly quota: QuotaOptions;
}

/** Starts the controllers that run while this process leads, each after those it depends on. */
export function startLeaderControllers(deps: LeaderDeps): Term {
  const { runtime, views, events, observer, transactions } = deps;
  const { enforcement } = deps.quota;
  const term = new Term();
  const restMapper = new RestMapper((plane) => runtime.planes.client(plane), runtime.clock);
  term.start(new RegistrationController(runtime, views));
  term.start(new GrantController(runtime, views, events));
  const forced = new ForcedClaims();
  const consumers = term.start(new ConsumerUids({ runtime, restMapper, registrations: views.registrationIndex }));
  const writer = startWriter(term, deps, forced, consumers);
  term.start(new ClaimReleases({ runtime, views, restMapper, consumers, events }));
  term.start(new ClaimPhases({ runtime, views, leadership: deps.leadership }));
  const policies = views.claimPolicyCache;
  const schemas = new TriggerSchemas(runtime);
  term.start(new ClaimPolicyReadiness({ runtime, policies, restMapper, enforcement, events, schemas }));
  const onForced = ({ reason }: ForcedClaim): void => observer.onForced?.(reason);
  const ownership = term.start(
    new Ownership({ runtime, views, policies, restMapper, forced, shrinker: writer, events, onForced }),
  );
  transactions.lead({ transactions: writer.transactions, releases: ownership.releases, needs: ownership.needs });
  term.start({ stop: () => transactions.end() });
  startGrantPolicies(term, deps, restMapper);
  return term;
}

function startGrantPolicies(term: Term, { runtime, views, events }: LeaderDeps, restMapper: RestMapper): void {
  const policies = views.grantPolicyCache;
  const parents = new ParentContexts();
  term.start(new GrantPolicyReadiness({ runtime, policies, restMapper, parents }));
  term.start(new GrantEngine({ runtime, views, policies, restMapper, parents, events }));
}

function startWriter(term: Term, deps: LeaderDeps, forced: ForcedClaims, consumers: ConsumerLookup): BucketWriter {
  const { runtime, views, leadership } = deps;
  const observer = withDenialEvents(deps);
  const figureViews = term.start(new FigureViewController(runtime, views, leadership));
  const figures: FiguresObserver = {
    onFiguresChanged: (key, read) => {
      deps.figures.onFiguresChanged(key, read);
      figureViews.onFiguresChanged(key, read);
    },
  };
  const registrations = views.registrationIndex;
  const writer = term.start(
    new BucketWriter({ runtime, views, registrations, forced, leadership, figures, consumers, observer }),
  );
  void writer.ready.then(() => figureViews.sweep((key) => writer.knows(key)));
  return writer;
}

/** Events keep denials visible after their claims are deleted. */
function withDenialEvents({ observer, events }: LeaderDeps): DecisionObserver {
  return {
    ...observer,
    onDecided: (plane, decision, claim) => {
      observer.onDecided?.(plane, decision, claim);
      if (decision === "granted") return;
      const { namespace, name, uid } = claim;
      const subject = { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
      events.record(plane, subject, denialEvent(claim));
    },
  };
}
