// Recorded responses of a real Kubernetes, so that the cases run without one.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Observation } from "./differential/run-case.ts";

const path = join(import.meta.dirname, "recorded-answers.json");

export type Recording = Readonly<Record<string, readonly Observation[]>>;

/** If set, the suite on a real Kubernetes records its responses instead of comparing them with the recording. */
export const isRecording = process.env["MILO_QUOTA_RECORD"] === "1";

export function readRecording(): Recording {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Recording) : {};
}

/** Writes one line per case, for readable diffs. */
export function writeRecording(recording: Recording): void {
  const lines = Object.keys(recording)
    .sort()
    .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(recording[name])}`);
  writeFileSync(path, `{\n${lines.join(",\n")}\n}\n`);
}
