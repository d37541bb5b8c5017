// A case is a list of requests to both servers, whose responses must be the same.

export interface Step {
  readonly method: string;
  /** `{ns}` is the namespace of the case, `{name}` a value that an earlier step kept. */
  readonly path: string;
  /** Objects are sent as JSON, strings unchanged. Placeholders work as in paths. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user; by default the administrator. */
  readonly as?: "nobody" | "no token" | "wrong token";
  /** Keeps values of the response for later steps, by name and path (`metadata.uid`). */
  readonly keep?: Readonly<Record<string, string>>;
  /** Repeats the step until the response has this status code. */
  readonly until?: number;
  /** Repeats the step until the response contains this text. */
  readonly untilWith?: string;
  /** Repeats the step until the response no longer contains this text. */
  readonly untilWithout?: string;
  /**
   * Compares only these parts of the response, for documents that differ otherwise: `resources[name=pods]` is the list
   * member whose name is pods.
   */
  readonly parts?: readonly string[];
  /** Whether the causes of an error have a random order, as those that Kubernetes collects in a Go map. */
  readonly anyOrder?: boolean;
  /** Whether the response is ignored, for preparatory steps. */
  readonly unseen?: boolean;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Allowed differences: paths in the responses (`[1].body.metadata.labels`) with reasons. */
  readonly mayDiffer?: Readonly<Record<string, string>>;
}

export function cases(
  group: string,
  table: Readonly<Record<string, readonly Step[] | Omit<Case, "name">>>,
): readonly Case[] {
  return Object.entries(table).map(([name, entry]) =>
    "steps" in entry
      ? { name: `${group}: ${name}`, ...entry }
      : { name: `${group}: ${name}`, steps: entry as readonly Step[] },
  );
}
