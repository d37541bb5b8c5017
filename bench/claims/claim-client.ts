import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { collectionPath } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { StreamEvent, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { Client } from "undici";
import { Pool } from "undici";
import { claimsType } from "../../packages/quota/src/views/quota-types.ts";
import type { Target } from "../apiserver/load.ts";
import { namespace } from "./quota-objects.ts";

/** Creates and watches claims on a server. */
export interface ClaimClient {
  create(claim: KubernetesObject): Promise<void>;
  /** Calls back with the name of every claim that is granted from now on. */
  watch(granted: (name: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** For a server in this process. */
export function directClient(transport: Transport): ClaimClient {
  const claims = new KubeClient(transport, rootPlane).resource(claimsType, anyObject);
  const life = new AbortController();
  return {
    create: async (claim) => {
      await claims.create(claim, {}, life.signal);
    },
    watch: (granted) =>
      new Promise((onOpened) => {
        const onLine = (event: string | StreamEvent): void =>
          typeof event === "string" ? seeLine(event, granted) : seeObject(event.object, granted);
        const call = claims.collectionCall({ namespace }, new URLSearchParams({ watch: "true" }));
        transport.stream(call, { onOpened, onLine }, life.signal).catch(() => undefined);
      }),
    close: async () => life.abort(new Error("closed")),
  };
}

/** Over TLS, with a connection for each client. */
export function socketClient({ url, token, ca }: Target, clients: number): ClaimClient {
  const creating = new Pool(url, { connections: clients, pipelining: 1, connect: { ca } });
  const watching = new Pool(url, { connections: 1, connect: { ca }, bodyTimeout: 0 });
  const path = collectionPath(claimsType, rootPlane, namespace);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
  return {
    create: async (claim) => {
      const { statusCode, body } = await creating.request({
        method: "POST",
        path,
        headers,
        body: JSON.stringify(claim),
      });
      const answer = await body.text();
      if (statusCode !== 201) throw new Error(`${statusCode}: ${answer.slice(0, 300)}`);
    },
    watch: async (granted) => {
      const { body } = await watching.request({ method: "GET", path: `${path}?watch=true`, headers });
      void readLines(body, (text) => seeLine(text, granted));
    },
    close: async () => {
      await Promise.all([creating.close(), watching.destroy()]);
    },
  };
}

const grantedReason = "QuotaAvailable";

/** Parses no JSON, so that the cost of the clients stays small. */
function seeLine(line: string, granted: (name: string) => void): void {
  if (!line.includes(`"reason":"${grantedReason}"`)) return;
  granted(/"name":"(claim-\d+-\d+)"/.exec(line)?.[1] ?? "");
}

function seeObject(object: JsonObject, granted: (name: string) => void): void {
  const { metadata, status } = object as unknown as KubernetesObject & Status;
  if (status?.conditions?.some(({ reason }) => reason === grantedReason) === true) granted(metadata.name ?? "");
}

interface Status {
  readonly status?: { readonly conditions?: readonly { readonly reason: string }[] };
}

type Body = Awaited<ReturnType<Client["request"]>>["body"];

async function readLines(body: Body, line: (text: string) => void): Promise<void> {
  let rest = "";
  body.setEncoding("utf8");
  try {
    for await (const chunk of body) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) line(text);
    }
  } catch {
    // the connection was closed
  }
}
