import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** What an examination looks through: it remembers what whoever asks may not see, so that nobody takes it for missing. */
export class Sight {
  readonly #hidden = new Set<string>();

  /** Nothing, for those who may not list it. */
  async list<Kind>(what: string, read: () => Promise<readonly Kind[]>): Promise<readonly Kind[]> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
      this.#hidden.add(what);
      return [];
    }
  }

  get hidden(): ReadonlySet<string> {
    return this.#hidden;
  }
}
