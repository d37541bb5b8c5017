import { createHash } from "node:crypto";
import { startMs } from "./prepared-records.ts";
import type { StoredChange, StoredObject } from "./world.ts";

const linesMax = 20_000;
const summaryLengthMax = 600;

/** A readable log of the run, and a hash of it: equal for identical runs. */
export class Trace {
  readonly #lines: string[] = [];
  readonly #keepsLines: boolean;
  readonly #hash = createHash("sha256");
  #writes = 0;

  constructor(keeps: "lines" | "hash only") {
    this.#keepsLines = keeps === "lines";
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Number of durable writes. */
  get writes(): number {
    return this.#writes;
  }

  note(atMs: number, text: string): void {
    this.#hash.update(`${atMs} ${text}\n`);
    this.#line(atMs, text);
  }

  stored({ type, atMs, now }: StoredChange): void {
    const { key, revision, text } = now;
    this.#writes += 1;
    this.#hash.update(`${atMs} ${revision} ${key.plane} ${type} ${text}\n`);
    if (!this.#keepsLines || key.resource === "leases.coordination.k8s.io") return;
    const where = [key.plane, key.namespace, key.name].filter((part) => part !== "").join("/");
    this.#line(atMs, `  ${revision} ${type} ${key.resource.split(".")[0]} ${where}${summary(now)}`);
  }

  digest(): string {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }

  #line(atMs: number, text: string): void {
    if (!this.#keepsLines || this.#lines.length >= linesMax) return;
    this.#lines.push(`${((atMs - startMs) / 1_000).toFixed(4).padStart(9)} s  ${text}`);
  }
}

/** The object in short: UID, annotations, spec and status. */
function summary({ object }: StoredObject): string {
  const { deletionTimestamp, uid = "", annotations } = object.metadata;
  const shown = { annotations, spec: object["spec"], status: object["status"] };
  const text = JSON.stringify(shown, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  return ` ${uid.slice(0, 8)}${deletionTimestamp === undefined ? "" : " (deleting)"} ${text.slice(0, summaryLengthMax)}`;
}
