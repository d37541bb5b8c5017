import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";

/** Holds some requests of a machine back until it is opened. */
export class Gate {
  readonly #counts: (call: Call) => boolean;
  #held: (() => void)[] = [];
  #isOpen = false;

  constructor(counts: (call: Call) => boolean) {
    this.#counts = counts;
  }

  pass(call: Call, send: () => void): void {
    if (this.#isOpen || !this.#counts(call)) send();
    else this.#held.push(send);
  }

  open(): void {
    this.#isOpen = true;
    for (const send of this.#held.splice(0)) send();
  }
}
