// What a real Kubernetes answered, kept so that the same cases run where there is none.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Observation } from "./differential/run-case.ts";

const path = join(import.meta.dirname, "recorded-answers.json");

export type Recording = Readonly<Record<string, readonly Observation[]>>;

/** Set, the suite on a real Kubernetes writes its answers down instead of comparing them with what is written. */
export const isRecording = process.env["MILO_QUOTA_RECORD"] === "1";

export function readRecording(): Recording {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Recording) : {};
}

/** One line a case, so that a change shows as the case it is about. */
export function writeRecording(recording: Recording): void {
  const lines = Object.keys(recording)
    .sort()
    .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(recording[name])}`);
  writeFileSync(path, `{\n${lines.join(",\n")}\n}\n`);
}
