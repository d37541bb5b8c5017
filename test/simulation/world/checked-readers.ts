import { keyText } from "@milo-quota/apiserver/storage/memory/key-order.ts";
import type { Change, ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import type { AnswerRequest, ApiAnswer, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { RecordedTruth } from "./truth.ts";
import { InvariantBroken } from "./world.ts";

/** Judges what readers of a server are shown: no state of it holds a part of a transaction. */
export class CheckedReaders {
  readonly #truth: RecordedTruth;
  readonly #failed: (error: unknown) => void;

  constructor(truth: RecordedTruth, failed: (error: unknown) => void) {
    this.#truth = truth;
    this.#failed = failed;
  }

  /** Whoever is told of one write of a transaction can read all of them. */
  watch(store: ObjectStore): void {
    store.watchAll((change) => this.#judge(change, store));
  }

  /** Lists, bookmarks and answers to how far the server is name no revision inside a transaction. */
  over(handle: AnswerRequest): AnswerRequest {
    return async (request) => {
      const answer = await handle(request);
      if (request.method !== "GET" || answer.code !== 200) return answer;
      if (typeof answer.body !== "string") return { ...answer, body: this.#watched(answer.body) };
      if (request.asksProgress === true) this.#demandWhole(answer.body, "progress");
      else this.#judgeList(answer);
      return answer;
    };
  }

  #judge({ revision, stored }: Change, store: ObjectStore): void {
    const end = this.#truth.endOf(revision);
    if (store.revision < end) this.#fail(`${stored.key.name} is told at ${revision}, and ${end} cannot be read yet`);
    for (const { key, revision: at, deleted } of this.#truth.transactionAt(revision)) {
      const found = store.get(key)?.revision;
      const isThere = deleted ? found === undefined : found === at;
      if (!isThere) this.#fail(`${stored.key.name} is told at ${revision}, and ${keyText(key)} of ${at} is not there`);
    }
  }

  #judgeList({ object }: ApiAnswer): void {
    const { kind = "", metadata } = (object?.() ?? {}) as { kind?: string; metadata?: { resourceVersion?: string } };
    if (kind.endsWith("List")) this.#demandWhole(metadata?.resourceVersion ?? "", "a list");
  }

  #watched(body: Exclude<ApiAnswer["body"], string>): ApiAnswer["body"] {
    return {
      start: (sink) => {
        const write = (line: string | Uint8Array): void => {
          const bookmark = /"type":"BOOKMARK".*"resourceVersion":"(\d+)"/.exec(String(line));
          if (bookmark !== null) this.#demandWhole(bookmark[1] ?? "", "a bookmark");
          sink.write(line);
        };
        const checked: StreamSink = Object.create(sink, { write: { value: write } });
        body.start(checked);
      },
    };
  }

  #demandWhole(revision: string, what: string): void {
    const end = this.#truth.endOf(Number(revision));
    if (end !== Number(revision)) this.#fail(`${what} names ${revision}, inside the transaction that ends at ${end}`);
  }

  #fail(message: string): void {
    this.#failed(new InvariantBroken("I13", message));
  }
}
