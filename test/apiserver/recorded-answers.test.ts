import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allCases } from "../real-kubernetes/differential/all-cases.ts";
import { ApiClient } from "../real-kubernetes/differential/api-client.ts";
import { embeddedDifferences } from "../real-kubernetes/differential/differences.ts";
import { runCase } from "../real-kubernetes/differential/run-case.ts";
import { type EmbeddedControlPlane, startEmbeddedControlPlane } from "../real-kubernetes/embedded-control-plane.ts";
import { readRecording } from "../real-kubernetes/recording.ts";

const recorded = readRecording();
let embedded: EmbeddedControlPlane;
let client: ApiClient;

beforeAll(async () => {
  embedded = await startEmbeddedControlPlane();
  client = new ApiClient(embedded);
});

afterAll(async () => {
  client.close();
  await embedded.stop();
});

describe.concurrent("the embedded server gives the recorded responses of Kubernetes", () => {
  it.each(allCases.map((each, index) => [each.name, each, index] as const))("%s", async (name, each, index) => {
    const actual = await runCase(client, each, `case-${index}`);
    expect(embeddedDifferences(each, recorded[name], actual)).toEqual([]);
  });

  it("has exactly one recording for each case", () => {
    expect(Object.keys(recorded).sort()).toEqual(allCases.map(({ name }) => name).sort());
  });
});
