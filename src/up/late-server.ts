import type { EmbeddedServer } from "../apiserver/embedded-server.ts";

/** A server that others are made for before it is there. */
export class LateServer {
  #server: EmbeddedServer | undefined;

  set(server: EmbeddedServer): void {
    this.#server = server;
  }

  get(): EmbeddedServer {
    if (this.#server === undefined) throw new Error("the server was not started yet");
    return this.#server;
  }
}
