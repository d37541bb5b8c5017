// Observers that log what they observe, and pass it on to the observers that count it.

import type { RequestObserver } from "@milo-quota/apiserver/http/observe-requests.ts";
import type { AdmissionObserver } from "../admission/admission-observer.ts";
import type { DecisionObserver } from "../controllers/writer/writer-deps.ts";
import type { Log } from "../telemetry/log.ts";

/** Logs when writes begin to fail, with the reason, and when all are stored again. */
export function loggedStorage(log: Log): (problem: string | undefined) => void {
  return (problem) => {
    if (problem === undefined) log.info("all writes are stored again");
    else log.error(`not all writes are stored: ${problem}`);
  };
}

export function loggedRequests(log: Log, observer: RequestObserver): RequestObserver {
  return {
    ...observer,
    onResponse: (request) => {
      observer.onResponse?.(request);
      const { method, path, code, ms } = request;
      log.debug(`${method} ${path}`, { code, ms });
    },
  };
}

export function loggedDecisions(log: Log, observer: DecisionObserver): DecisionObserver {
  return {
    ...observer,
    onDecided: (plane, decision, claim) => {
      observer.onDecided?.(plane, decision, claim);
      const why = claim.message === "" ? "" : `: ${claim.message}`;
      log.debug(`claim ${claim.namespace}/${claim.name} ${decision}${why}`, { plane });
    },
  };
}

/** Logs at level info what a policy in Shadow mode would have rejected, because its author looks for it. */
export function loggedAdmission(log: Log, observer: AdmissionObserver): AdmissionObserver {
  return {
    ...observer,
    onShadowRejection: (policy, change, message) => {
      observer.onShadowRejection?.(policy, change, message);
      const object = `${change.kind.kind} ${change.namespace === "" ? "" : `${change.namespace}/`}${change.name}`;
      log.info(`policy ${policy.metadata.name} is in Shadow mode; Enforce would reject ${object}: ${message}`, {
        plane: change.plane,
      });
    },
  };
}
