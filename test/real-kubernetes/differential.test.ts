import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { allCases } from "./differential/all-cases.ts";
import { ApiClient } from "./differential/api-client.ts";
import type { Case } from "./differential/case.ts";
import { type Difference, differences, embeddedDifferences } from "./differential/differences.ts";
import { type Observation, runCase } from "./differential/run-case.ts";
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from "./embedded-control-plane.ts";
import { isRecording, readRecording, writeRecording } from "./recording.ts";

let real: ControlPlane;
let embedded: EmbeddedControlPlane;
let clients: readonly [ApiClient, ApiClient];
const recorded = readRecording();
const answers: Record<string, readonly Observation[]> = {};

beforeAll(async () => {
  [real, embedded] = await Promise.all([startControlPlane(), startEmbeddedControlPlane()]);
  clients = [new ApiClient(real), new ApiClient(embedded)];
});

afterAll(async () => {
  if (isRecording) writeRecording(answers);
  for (const client of clients) client.close();
  await Promise.all([real.stop(), embedded.stop()]);
});

/** Kubernetes reports some errors in the random iteration order of Go maps. */
const attemptsMax = 5;

interface Compared {
  readonly expected: readonly Observation[];
  /** Between the two servers, and between Kubernetes and the recording. */
  readonly found: readonly Difference[];
}

async function compare(each: Case, namespace: string): Promise<Compared> {
  const [expected = [], actual] = await Promise.all(clients.map((client) => runCase(client, each, namespace)));
  const found = embeddedDifferences(each, expected, actual);
  return { expected, found: isRecording ? found : [...found, ...differences(expected, recorded[each.name])] };
}

describe("the embedded server answers like Kubernetes and like the recording", () => {
  // Concurrent, because each case has its own namespace and mostly waits.
  it.concurrent.each(allCases.map((each, index) => [each.name, each, index] as const))(
    "%s",
    async (name, each, index) => {
      let compared = await compare(each, `case-${index}`);
      for (let attempt = 2; attempt <= attemptsMax && compared.found.length > 0; attempt += 1) {
        compared = await compare(each, `case-${index}-${attempt}`);
      }
      answers[name] = compared.expected;
      expect(compared.found).toEqual([]);
      expect(embedded.faults).toEqual([]);
    },
  );
});
