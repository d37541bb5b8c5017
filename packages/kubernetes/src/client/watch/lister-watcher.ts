import type { JsonObject } from "../../protocol/json-value.ts";
import type { RawPage } from "../resources/list-page.ts";
import { type ListOptions, queryOf } from "../resources/request-options.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import type { Call, LineSink, Transport } from "../transport/transport.ts";

/** Lists and watches the objects of a kind, like the ListerWatcher of client-go. */
export interface ListerWatcher {
  list(paging: Pick<ListOptions, "limit" | "continue">, signal: AbortSignal): Promise<RawPage>;
  watch(parameters: Readonly<Record<string, string | undefined>>, sink: LineSink, signal: AbortSignal): Promise<void>;
  /**
   * The server's current revision, if it can be asked directly, which also sends bookmarks to its watches. Otherwise a
   * list is used.
   */
  progress?(signal: AbortSignal): Promise<string>;
  /** The plane of an object: as the server reports it beside the object, if it does. */
  planeOf(said: string | undefined, object: JsonObject): string;
}

/** Selects the objects of a kind. */
export interface ListWatchOptions extends Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector" | "reach"> {
  /** Determines the plane of an object if the server does not report it. */
  readonly planeOf?: ListerWatcher["planeOf"];
}

export function listerWatcherFor(
  client: ResourceClient<unknown>,
  transport: Transport,
  { planeOf, ...selected }: ListWatchOptions = {},
): ListerWatcher {
  const everything = (): Call => client.collectionCall(selected, new URLSearchParams());
  const progress = transport.progress?.bind(transport);
  return {
    list: (paging, signal) => client.rawList({ ...selected, ...paging }, signal),
    watch: (parameters, sink, signal) => {
      const { labelSelector, fieldSelector } = selected;
      const query = queryOf({
        labelSelector,
        fieldSelector,
        watch: "true",
        allowWatchBookmarks: "true",
        ...parameters,
      });
      return transport.stream(client.collectionCall(selected, query), sink, signal);
    },
    ...(progress === undefined ? {} : { progress: (signal) => progress(everything(), signal) }),
    planeOf: planeOf ?? ((said) => said ?? client.plane.plane),
  };
}
