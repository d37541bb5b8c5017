import { Admission } from "@milo-quota/quota/admission/admission.ts";
import type { AdmittingClaim } from "@milo-quota/quota/admission/admission-listener.ts";
import { unknownUsage } from "@milo-quota/quota/admission/answers/usage-view.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { layout } from "../world/layout.ts";
import type { Host } from "../world/world.ts";
import { signal } from "./clients.ts";
import type { DoorAnswer, DoorRequest } from "./door.ts";

/** Admission as one of several machines runs it, each asked by the API server over the network. */
export class Doorkeeper {
  readonly #host: Host;
  readonly #admission: Admission;
  /** The claims that objects were let in by, from when that is decided until it is answered. */
  readonly #behind = new Map<string, readonly AdmittingClaim[]>();

  constructor(host: Host) {
    this.#host = host;
    const { clock, random, report } = host;
    const planes = planesOfServer(host.transport, layout);
    this.#admission = new Admission({
      planes,
      clock,
      random,
      report,
      usage: { ...unknownUsage, isAlone: true }, // nobody hears of warnings here: no bucket is read for them
      told: { admitted: ({ object }, claims) => this.#behind.set(uidIn(object), claims) },
    });
    this.#admission.start();
  }

  async answer({ uid, plane, object, oldObject, kind, type }: DoorRequest): Promise<DoorAnswer> {
    const { namespace = "", name = "" } = object.metadata;
    const userInfo = { username: "somebody", uid: "", groups: [], extra: {} };
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
    if (!verdict.allowed) return { answer: "refuse", status: verdict.status };
    const claims = this.#behind.get(uid) ?? [];
    this.#behind.delete(uid);
    const notStored = (): void => verdict.settled?.({ stored: false });
    return { answer: "allow", claims, notStored, incarnation: this.#host.incarnation };
  }
}

function uidIn(object: object): string {
  return (object as DoorRequest["object"]).metadata.uid ?? "";
}
