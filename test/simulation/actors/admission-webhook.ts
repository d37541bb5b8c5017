import { Admission } from "@milo-quota/quota/admission/admission.ts";
import type { AdmittingClaim } from "@milo-quota/quota/admission/admission-observer.ts";
import { unknownUsage } from "@milo-quota/quota/admission/answers/usage-view.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { layout } from "../world/layout.ts";
import type { Host } from "../world/world.ts";
import { signal } from "./clients.ts";
import type { WebhookRequest, WebhookResponse } from "./remote-admission.ts";

/** Admission on a separate machine, called by the API server over the network. */
export class AdmissionWebhook {
  readonly #host: Host;
  readonly #admission: Admission;
  /** Claims of admitted objects by object UID, from the decision until the response. */
  readonly #admittedBy = new Map<string, readonly AdmittingClaim[]>();

  constructor(host: Host) {
    this.#host = host;
    const { clock, random, report } = host;
    const planes = planesOfServer(host.transport, layout);
    this.#admission = new Admission({
      planes,
      clock,
      random,
      report,
      usage: { ...unknownUsage, isSoleWriter: true }, // simulated clients ignore warnings, so no buckets are read for them
      observer: { onAdmitted: ({ object }, claims) => this.#admittedBy.set(uidIn(object), claims) },
    });
    this.#admission.start();
  }

  async answer({ uid, plane, object, oldObject, kind, type }: WebhookRequest): Promise<WebhookResponse> {
    const { namespace = "", name = "" } = object.metadata;
    const userInfo = { username: "user", uid: "", groups: [], extra: {} };
    const about = {
      plane,
      kind: { ...type, kind },
      subresource: "",
      namespace,
      name,
      userInfo,
      object,
      oldObject,
      options: {},
    };
    const operation = oldObject === undefined ? "CREATE" : "UPDATE";
    const warn = (): void => undefined;
    const verdict = await this.#admission.decide({ ...about, operation, dryRun: false, warn }, signal);
    if (!verdict.allowed) return { answer: "reject", status: verdict.status };
    const claims = this.#admittedBy.get(uid) ?? [];
    this.#admittedBy.delete(uid);
    const notStored = (): void => verdict.onSettled?.({ stored: false });
    return { answer: "allow", claims, notStored, incarnation: this.#host.incarnation };
  }
}

function uidIn(object: object): string {
  return (object as WebhookRequest["object"]).metadata.uid ?? "";
}
