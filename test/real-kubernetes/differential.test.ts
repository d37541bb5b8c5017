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

/** Kubernetes goes through maps in a new order each time, and tells what is wrong in that order. */
const attemptsMax = 5;

interface Compared {
  readonly expected: readonly Observation[];
  /** Between the two servers, and between Kubernetes now and what is written down. */
  readonly found: readonly Difference[];
}

async function compare(each: Case, namespace: string): Promise<Compared> {
  const [expected = [], actual] = await Promise.all(clients.map((client) => runCase(client, each, namespace)));
  const found = embeddedDifferences(each, expected, actual);
  return { expected, found: isRecording ? found : [...found, ...differences(expected, recorded[each.name])] };
}

describe("the embedded server answers as Kubernetes does, and as it is written down", () => {
  // Each case is in a namespace of its own, and most of its time it waits.
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
