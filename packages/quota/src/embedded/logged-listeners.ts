// Listeners that say in a log what they hear, and hand it on to those who count.

import type { RequestObserver } from "@milo-quota/apiserver/http/observed-api.ts";
import type { AdmissionListener } from "../admission/admission-listener.ts";
import type { DecisionListener } from "../controllers/writer/writer-deps.ts";
import type { Log } from "../telemetry/log.ts";

export function loggedRequests(log: Log, told: RequestObserver): RequestObserver {
  return {
    ...told,
    answered: (request) => {
      told.answered?.(request);
      const { method, path, code, ms } = request;
      log.debug(`${method} ${path}`, { code, ms });
    },
  };
}

export function loggedDecisions(log: Log, told: DecisionListener): DecisionListener {
  return {
    ...told,
    decided: (plane, decision, claim) => {
      told.decided?.(plane, decision, claim);
      const why = claim.message === "" ? "" : `: ${claim.message}`;
      log.debug(`claim ${claim.namespace}/${claim.name} ${decision}${why}`, { plane });
    },
  };
}

/** What a policy that only watches would have refused is what its author waits to hear. */
export function loggedAdmission(log: Log, told: AdmissionListener): AdmissionListener {
  return {
    ...told,
    shadowed: (policy, change, message) => {
      told.shadowed?.(policy, change, message);
      const object = `${change.kind.kind} ${change.namespace === "" ? "" : `${change.namespace}/`}${change.name}`;
      log.info(`policy ${policy.metadata.name} is in Shadow mode; Enforce would reject ${object}: ${message}`, {
        plane: change.plane,
      });
    },
  };
}
