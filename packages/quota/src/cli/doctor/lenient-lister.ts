import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";

/** Lists objects, and records which ones the user lacks permission to list, so that no check takes them for missing. */
export class LenientLister {
  readonly #forbidden = new Set<string>();

  /** Empty if the user lacks permission. */
  async list<Kind>(objects: string, read: () => Promise<readonly Kind[]>): Promise<readonly Kind[]> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 403) throw error;
      this.#forbidden.add(objects);
      return [];
    }
  }

  get forbidden(): ReadonlySet<string> {
    return this.#forbidden;
  }
}
