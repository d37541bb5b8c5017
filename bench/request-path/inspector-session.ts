import { WebSocket } from "undici";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Settle = (message: Message) => void;
type OnEvent = (params: never) => void;

const callMsMax = 30_000;

/** A session of the inspector protocol. */
export class InspectorSession {
  readonly #send: (text: string) => void;
  readonly #pending = new Map<number, Settle>();
  readonly #onEvent = new Map<string, OnEvent>();
  #lastId = 0;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  call<Result>(method: string, params: object = {}): Promise<Result> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), callMsMax);
      this.#pending.set(id, ({ result, error }) => {
        clearTimeout(timer);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      this.#send(JSON.stringify({ id, method, params }));
    });
  }

  /** Sets the observer of an event. */
  on<Params>(method: string, observer: (params: Params) => void): void {
    this.#onEvent.set(method, observer as OnEvent);
  }

  receive(text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) {
      this.#onEvent.get(message.method ?? "")?.(message.params as never);
      return;
    }
    this.#pending.get(message.id)?.(message);
    this.#pending.delete(message.id);
  }
}

/** The inspector of a process, with one session for its main thread and one for each of its workers. */
export class Inspector {
  readonly sessions: InspectorSession[];
  readonly #socket: WebSocket;

  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("open", () => resolve(), { once: true });
      socket.addEventListener("error", () => reject(new Error(`no connection to ${url}`)), { once: true });
    });
    const main = new InspectorSession((text) => socket.send(text));
    socket.addEventListener("message", ({ data }) => main.receive(String(data)));
    const inspector = new Inspector(socket, main);
    await inspector.#attachWorkers(main);
    return inspector;
  }

  private constructor(socket: WebSocket, main: InspectorSession) {
    this.#socket = socket;
    this.sessions = [main];
  }

  /** Must be closed: a process waits for its inspector at exit. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.addEventListener("close", resolve, { once: true }));
    this.#socket.close();
    await closed;
  }

  /** Running workers are announced before the response to `NodeWorker.enable`. */
  async #attachWorkers(main: InspectorSession): Promise<void> {
    const workers = new Map<string, InspectorSession>();
    main.on<{ readonly sessionId: string }>("NodeWorker.attachedToWorker", ({ sessionId }) => {
      const send = (message: string): void => {
        main.call("NodeWorker.sendMessageToWorker", { sessionId, message }).catch(() => undefined);
      };
      const session = new InspectorSession(send);
      workers.set(sessionId, session);
      this.sessions.push(session);
    });
    main.on<{ readonly sessionId: string; readonly message: string }>(
      "NodeWorker.receivedMessageFromWorker",
      ({ sessionId, message }) => workers.get(sessionId)?.receive(message),
    );
    await main.call("NodeWorker.enable", { waitForDebuggerOnStart: false });
  }
}
