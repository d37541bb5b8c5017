import { ConnectionFailed } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { expect } from "vitest";
import type { Body } from "../../apiserver/test-server.ts";
import type { ApiClient, ApiResponse } from "../api-client.ts";
import { type QuotaScope, sized } from "./recorded-scopes.ts";

export const sizeOf = ({ metadata }: Body): number => Number(metadata.labels?.size ?? 0);

/** Clients that create and delete objects of size 1 and record the responses. */
export class RecordedClients {
  readonly answers = { admitted: 0, rejected: 0, deleted: 0, unanswered: 0 };
  /** Paths of created and not deleted objects. An object without a response is in neither set. */
  readonly #there = new Set<string>();
  readonly #gone = new Set<string>();
  #count = 0;
  #awaited = { count: 0, resolve: (): void => undefined };

  /** Creates objects until quota is exceeded. */
  async fill(client: ApiClient, scope: QuotaScope): Promise<void> {
    for (;;) if (!(await this.#create(client, this.#newPath(scope)))) return;
  }

  /** Creates and deletes objects until the server is killed. */
  async churn(client: ApiClient, scope: QuotaScope): Promise<void> {
    const own: string[] = [];
    try {
      for (;;) {
        const path = this.#newPath(scope);
        if (await this.#create(client, path)) own.push(path);
        const oldest = own.length > 5 ? own.shift() : undefined;
        if (oldest !== undefined) await this.delete(client, oldest);
      }
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
      this.answers.unanswered += 1;
    }
  }

  async delete(client: ApiClient, path: string): Promise<void> {
    this.#there.delete(path);
    const { code, text } = await client.remove(path);
    expect(code, text).toBe(200);
    this.#gone.add(path);
    this.#answered("deleted");
  }

  /** Resolves after this many more responses. */
  nextAnswers(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { count, resolve };
    });
  }

  /** Compares the objects of a scope with the responses. */
  compare({ objects }: QuotaScope, paths: ReadonlySet<string>): void {
    const own = (known: ReadonlySet<string>) => [...known].filter((path) => path.startsWith(`${objects}/`));
    const lost = own(this.#there).filter((path) => !paths.has(path));
    const returned = own(this.#gone).filter((path) => paths.has(path));
    expect({ lost, returned }).toEqual({ lost: [], returned: [] });
  }

  #newPath({ objects }: QuotaScope): string {
    this.#count += 1;
    return `${objects}/new-${this.#count}`;
  }

  /** Returns whether the object was admitted. Retries if there is no decision in time. */
  async #create(client: ApiClient, path: string): Promise<boolean> {
    const at = path.lastIndexOf("/");
    for (;;) {
      const answer = await client.create(path.slice(0, at), sized(path.slice(at + 1), 1));
      if (answer.code === 503) continue;
      const isAdmitted = answer.code !== 403;
      if (isAdmitted) expect([201, 409], answer.text).toContain(answer.code);
      else expectExceeded(answer);
      (isAdmitted ? this.#there : this.#gone).add(path);
      this.#answered(isAdmitted ? "admitted" : "rejected");
      return isAdmitted;
    }
  }

  #answered(what: "admitted" | "rejected" | "deleted"): void {
    this.answers[what] += 1;
    this.#awaited.count -= 1;
    if (this.#awaited.count <= 0) this.#awaited.resolve();
  }
}

export function expectExceeded({ code, text, body }: ApiResponse): void {
  expect(code, text).toBe(403);
  expect(body.details.causes[0].reason, text).toBe("QuotaExceeded");
}
