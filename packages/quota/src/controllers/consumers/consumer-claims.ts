import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type ConsumerRef, type GroupKind, groupKindText } from "../../core/resources/fields/consumer-ref.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import type { ControlPlanes } from "../../views/control-planes.ts";
import { type ConsumerAddress, consumerKeyIn } from "./consumer-uids.ts";

/** A decided claim that no policy keeps, and the consumer it was decided for. */
export interface ConsumerClaim {
  readonly key: PlaneObjectKey;
  readonly uid: string;
  readonly consumer: ConsumerRef;
  /** UID that the consumer had when the claim was decided. */
  readonly consumerUid: string;
}

interface ClaimsOfConsumer {
  readonly address: ConsumerAddress;
  readonly claims: Map<string, ConsumerClaim>;
}

/** Claims that end with their consumer, by consumer: those that were created by hand, and whose consumer was known. */
export class ConsumerClaims {
  readonly #planes: Pick<ControlPlanes, "root" | "planeOf">;
  readonly #byConsumer = new Map<string, ClaimsOfConsumer>();

  constructor(planes: Pick<ControlPlanes, "root" | "planeOf">) {
    this.#planes = planes;
  }

  /** Returns the consumer of the claim, if the claim ends with it. */
  put(key: PlaneObjectKey, { uid, consumer, consumerUid }: ClaimRecord): ConsumerAddress | undefined {
    if (consumerUid === undefined) return undefined;
    const address = { kind: consumer, key: consumerKeyIn(key.plane, consumer, this.#planes) };
    const id = addressId(address);
    const own = this.#byConsumer.get(id) ?? { address, claims: new Map<string, ConsumerClaim>() };
    own.claims.set(keyText(key), { key, uid, consumer, consumerUid });
    this.#byConsumer.set(id, own);
    return address;
  }

  drop(key: PlaneObjectKey, { consumer, consumerUid }: ClaimRecord): void {
    if (consumerUid === undefined) return;
    const id = addressId({ kind: consumer, key: consumerKeyIn(key.plane, consumer, this.#planes) });
    const own = this.#byConsumer.get(id);
    own?.claims.delete(keyText(key));
    if (own?.claims.size === 0) this.#byConsumer.delete(id);
  }

  of(address: ConsumerAddress): readonly ConsumerClaim[] {
    return [...(this.#byConsumer.get(addressId(address))?.claims.values() ?? [])];
  }

  consumersOf(kind: GroupKind): readonly ConsumerAddress[] {
    const addresses = [...this.#byConsumer.values()].map(({ address }) => address);
    return addresses.filter((address) => groupKindText(address.kind) === groupKindText(kind));
  }
}

export function addressId({ kind, key }: ConsumerAddress): string {
  return `${groupKindText(kind)}\n${keyText(key)}`;
}

function keyText({ plane, namespace, name }: PlaneObjectKey): string {
  return `${plane}/${namespace}/${name}`;
}
