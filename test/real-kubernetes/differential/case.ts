// Cases are data: what is sent, step by step, to both servers. What comes back has to be the same.

export interface Step {
  readonly method: string;
  /** `{ns}` stands for the namespace of the case, `{name}` for a value that an earlier step kept. */
  readonly path: string;
  /** Objects are sent as JSON, texts as they are. The placeholders of paths work here too. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who sends it: the administrator unless told otherwise. */
  readonly as?: "nobody" | "no token" | "wrong token";
  /** Keeps values of the answer for later steps: the name of each, and where it is (`metadata.uid`). */
  readonly keep?: Readonly<Record<string, string>>;
  /** Sends the step again until the answer has this code, for what servers do in their own time. */
  readonly until?: number;
  /** The same until the answer has this text. */
  readonly untilWith?: string;
  /** The same until the answer no longer has this text. */
  readonly untilWithout?: string;
  /**
   * The parts of the answer that are looked at, for documents of which the servers need not have all in common:
   * `resources[name=pods]` is the member of a list whose name is pods.
   */
  readonly parts?: readonly string[];
  /** Whether the causes of a refusal come in an order of chance, as those do that Kubernetes finds by a map. */
  readonly anyOrder?: boolean;
  /** Whether the answer is not looked at; for steps that only prepare. */
  readonly unseen?: boolean;
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What may differ, as a path in the answers (`[1].body.metadata.labels`) and the reason why. */
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
