// A plain HTTPS client that changes neither requests nor responses.
import { Agent, request } from "node:https";

export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

const callMsMax = 20_000;

export class ApiClient {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: target.ca });
  }

  send({ method, path, body, headers = {} }: Call): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const call = request(
        `${this.#target.url}${path}`,
        {
          method,
          agent: this.#agent,
          timeout: callMsMax,
          headers: { authorization: `Bearer ${this.#target.token}`, ...headers },
        },
        (response) => {
          const chunks: Uint8Array[] = [];
          response.on("data", (chunk: Uint8Array) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () =>
            resolve({
              code: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      call.once("timeout", () => call.destroy(new Error(`no answer to ${method} ${path} within ${callMsMax} ms`)));
      call.once("error", reject);
      if (body !== undefined) call.setHeader("content-length", Buffer.byteLength(body));
      call.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
