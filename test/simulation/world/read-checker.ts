import { keyText } from "@milo-quota/apiserver/storage/memory/key-order.ts";
import type { Change, ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import type { ApiResponse, HandleRequest, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import type { RecordedTruth } from "./truth.ts";
import { InvariantViolation } from "./world.ts";

/** Checks I13 for readers of the API server: they never see a part of a transaction. */
export class ReadChecker {
  readonly #truth: RecordedTruth;
  readonly #onFailure: (error: unknown) => void;

  constructor(truth: RecordedTruth, onFailure: (error: unknown) => void) {
    this.#truth = truth;
    this.#onFailure = onFailure;
  }

  /** A watcher that receives one event of a transaction can read all of its writes. */
  watch(store: ObjectStore): void {
    store.watchAll((change) => this.#checkEvent(change, store));
  }

  /** Lists, bookmarks and progress responses name no revision inside a transaction. */
  wrap(handle: HandleRequest): HandleRequest {
    return async (request) => {
      const answer = await handle(request);
      if (request.method !== "GET" || answer.code !== 200) return answer;
      if (typeof answer.body !== "string") return { ...answer, body: this.#checkedStream(answer.body) };
      if (request.asksProgress === true) this.#checkRevision(answer.body, "progress");
      else this.#checkList(answer);
      return answer;
    };
  }

  #checkEvent({ revision, stored }: Change, store: ObjectStore): void {
    const end = this.#truth.endOf(revision);
    if (store.revision < end)
      this.#fail(`watchers get ${stored.key.name} at ${revision}, but ${end} is not readable yet`);
    for (const { key, revision: at, deleted } of this.#truth.transactionAt(revision)) {
      const found = store.get(key)?.revision;
      const isReadable = deleted ? found === undefined : found === at;
      if (!isReadable)
        this.#fail(`watchers get ${stored.key.name} at ${revision}, but ${keyText(key)} of ${at} is not readable`);
    }
  }

  #checkList({ object }: ApiResponse): void {
    const { kind = "", metadata } = (object?.() ?? {}) as { kind?: string; metadata?: { resourceVersion?: string } };
    if (kind.endsWith("List")) this.#checkRevision(metadata?.resourceVersion ?? "", "a list");
  }

  #checkedStream(body: Exclude<ApiResponse["body"], string>): ApiResponse["body"] {
    return {
      start: (sink) => {
        const write = (line: string | Uint8Array): void => {
          const bookmark = /"type":"BOOKMARK".*"resourceVersion":"(\d+)"/.exec(String(line));
          if (bookmark !== null) this.#checkRevision(bookmark[1] ?? "", "a bookmark");
          sink.write(line);
        };
        const checked: StreamSink = Object.create(sink, { write: { value: write } });
        body.start(checked);
      },
    };
  }

  #checkRevision(revision: string, what: string): void {
    const end = this.#truth.endOf(Number(revision));
    if (end !== Number(revision)) this.#fail(`${what} names ${revision}, inside the transaction that ends at ${end}`);
  }

  #fail(message: string): void {
    this.#onFailure(new InvariantViolation("I13", message));
  }
}
