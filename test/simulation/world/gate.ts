import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";

/** Holds matching requests of a machine back until it is opened. */
export class Gate {
  readonly #matches: (call: Call) => boolean;
  #held: (() => void)[] = [];
  #isOpen = false;

  constructor(matches: (call: Call) => boolean) {
    this.#matches = matches;
  }

  pass(call: Call, send: () => void): void {
    if (this.#isOpen || !this.#matches(call)) send();
    else this.#held.push(send);
  }

  open(): void {
    this.#isOpen = true;
    for (const send of this.#held.splice(0)) send();
  }
}
