import type { JsonObject } from "../../protocol/json-value.ts";
import type { RawPage } from "../resources/list-page.ts";
import { type ListOptions, queryOf } from "../resources/request-options.ts";
import type { ResourceClient } from "../resources/resource-client.ts";
import type { Call, LineSink, Transport } from "../transport/transport.ts";

/** Where a follower gets objects from. */
export interface ObjectSource {
  page(paging: Pick<ListOptions, "limit" | "continue">, signal: AbortSignal): Promise<RawPage>;
  watch(parameters: Readonly<Record<string, string | undefined>>, sink: LineSink, signal: AbortSignal): Promise<void>;
  /**
   * How far the server is, where it can be asked to tell its watches right away that they have heard everything up to
   * there. Elsewhere a list says how far it is.
   */
  progress?(signal: AbortSignal): Promise<string>;
  /** The plane of an object, by what the server said of it beside the object, if it did. */
  planeOf(said: string | undefined, object: JsonObject): string;
}

/** Which of the objects of a kind are followed. */
export interface Selection extends Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector" | "reach"> {
  /** Where the plane of an object is known by other ways than its server saying it. */
  readonly planeOf?: ObjectSource["planeOf"];
}

export function sourceOf(
  client: ResourceClient<unknown>,
  transport: Transport,
  { planeOf, ...selected }: Selection = {},
): ObjectSource {
  const everything = (): Call => client.collectionCall(selected, new URLSearchParams());
  const progress = transport.progress?.bind(transport);
  return {
    page: (paging, signal) => client.rawList({ ...selected, ...paging }, signal),
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
