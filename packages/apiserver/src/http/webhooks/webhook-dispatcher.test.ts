import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  alpha,
  beta,
  configMap,
  kindOf,
  objectOf,
  patchOf,
  WebhookBench,
  webhookJson,
} from "../../../test/webhook-objects.ts";
import type { AdmissionRequest } from "../../registry/admission/admission-plugin.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import { CallFailed } from "./webhook-caller.ts";

const signal = new AbortController().signal;

async function answerTo(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status.code} ${error.message}`;
  }
}

const add = (path: string, value: string): JsonObject => ({ op: "add", path, value });
const failing: Answer = () => {
  throw new CallFailed('Post "https://hooks/x?timeout=10s": context deadline exceeded');
};

describe("an admission response", () => {
  const failed = '500 Internal error occurred: failed calling webhook "w": ';
  const denied = 'admission webhook "w" denied the request';
  const cases: Record<string, [response: JsonObject, answer: unknown]> = {
    "that allows": [{ allowed: true }, { allowed: true }],
    "that denies without a message": [{ allowed: false }, `400 ${denied} without explanation`],
    "that is empty is a rejection": [{}, `400 ${denied} without explanation`],
    "that denies with a message": [
      { allowed: false, status: { message: "no way", code: 422, reason: "Invalid" } },
      `422 ${denied}: no way`,
    ],
    "that denies with a reason": [{ allowed: false, status: { reason: "BecauseISay" } }, `400 ${denied}: BecauseISay`],
    "that denies with a success status": [
      { allowed: false, status: { status: "Success", code: 200, message: "m" } },
      `400 ${denied}: m`,
    ],
    "that denies with an invalid code": [
      { allowed: false, status: { code: 4000 } },
      `400 ${denied} without explanation`,
    ],
    "to another request": [
      { uid: "x", allowed: true },
      expect.stringMatching(
        /^500 Internal error occurred: failed calling webhook "w": received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
      ),
    ],
    "with a patch": [
      patchOf(),
      `${failed}received invalid webhook response: validating webhook may not return response.patch`,
    ],
    "with a type of patch": [
      { allowed: true, patchType: "JSONPatch" },
      `${failed}received invalid webhook response: validating webhook may not return response.patchType`,
    ],
  };
  for (const [name, [response, answer]] of Object.entries(cases)) {
    it(`of a validating webhook ${name}`, async () => {
      const bench = new WebhookBench({ w: () => response }).configure("validating", "c", [webhookJson("w")]);
      expect(await answerTo(bench.dispatcher.validate(bench.request(), signal))).toEqual(answer);
    });
  }

  it("keeps the details of a rejection", async () => {
    const details = { name: "n", causes: [{ field: "a" }] };
    const answer: Answer = () => ({ allowed: false, status: { message: "m", reason: "Own", details } });
    const bench = new WebhookBench({ w: answer }).configure("validating", "c", [webhookJson("w")]);
    await expect(bench.dispatcher.validate(bench.request(), signal)).rejects.toMatchObject({
      status: { kind: "Status", status: "Failure", reason: "Own", details, code: 400 },
    });
  });

  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const mutations: Record<string, [response: JsonObject, answer: unknown]> = {
    "without a patch": [{ allowed: true }, expect.objectContaining({ kind: "ConfigMap" })],
    "with a patch but not its type": [
      { allowed: true, patch: base64("[]") },
      `${failed}received invalid webhook response: webhook returned response.patch but not response.patchType`,
    ],
    "with a type but no patch": [
      { allowed: true, patchType: "JSONPatch" },
      `${failed}received invalid webhook response: webhook returned response.patchType but not response.patch`,
    ],
    "with an empty type": [
      { allowed: true, patchType: "", patch: base64("[]") },
      `${failed}received invalid webhook response: webhook returned invalid response.patchType of ""`,
    ],
    "with another type": [
      { allowed: true, patchType: "Merge", patch: base64("{}") },
      `${failed}unsupported patch type "Merge"`,
    ],
    "with a patch that is not JSON": [
      { allowed: true, patchType: "JSONPatch", patch: base64("[") },
      expect.stringMatching(
        /^500 Internal error occurred: failed calling webhook "w": received undecodable patch in webhook response: /,
      ),
    ],
    "with a patch that is not a list": [
      { allowed: true, patchType: "JSONPatch", patch: base64("{}") },
      `${failed}received undecodable patch in webhook response: expected array, got object`,
    ],
    "with a patch that does not apply": [
      patchOf({ op: "remove", path: "/data/a" }),
      '500 Internal error occurred: remove operation does not apply: doc is missing path: "/data/a": missing value',
    ],
    "with a patch without operations": [patchOf(), expect.objectContaining({ kind: "ConfigMap" })],
    "with a patch that removes the metadata": [
      patchOf({ op: "remove", path: "/metadata" }),
      { apiVersion: "v1", kind: "ConfigMap", metadata: {}, mode: "plain" },
    ],
    "with a patch that results in a list": [
      patchOf({ op: "replace", path: "", value: [] }),
      "500 Internal error occurred: the patch of an admission webhook does not result in an object",
    ],
  };
  for (const [name, [response, answer]] of Object.entries(mutations)) {
    it(`of a mutating webhook ${name}`, async () => {
      const bench = new WebhookBench({ w: () => response }).configure("mutating", "c", [webhookJson("w")]);
      expect(await answerTo(bench.dispatcher.mutate(bench.request(), signal))).toEqual(answer);
    });
  }

  it("in v1beta1 may omit kind, version and uid", async () => {
    const w = webhookJson("w", { admissionReviewVersions: ["v9", "v1beta1"] });
    const patch = Buffer.from(JSON.stringify([add("/mode", "old")])).toString("base64");
    const bench = new WebhookBench({ w: () => ({ uid: "x", allowed: true, patch }) }).configure("mutating", "c", [w]);
    expect(await bench.dispatcher.mutate(bench.request(), signal)).toMatchObject({ mode: "old" });
  });

  it("is not expected from a webhook of unknown versions", async () => {
    const w = webhookJson("w", { admissionReviewVersions: ["v9"] });
    const bench = new WebhookBench({}).configure("validating", "c", [w]);
    expect(await answerTo(bench.dispatcher.validate(bench.request(), signal))).toBe(
      `${failed}could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)`,
    );
  });
});

describe("a webhook that cannot be called", () => {
  for (const type of ["mutating", "validating"] as const) {
    const dispatch = (bench: WebhookBench) =>
      type === "mutating"
        ? bench.dispatcher.mutate(bench.request(), signal)
        : bench.dispatcher.validate(bench.request(), signal);

    it(`rejects the request, when ${type}`, async () => {
      const bench = new WebhookBench({ w: failing }).configure(type, "c", [webhookJson("w")]);
      const message =
        'failed calling webhook "w": failed to call webhook: Post "https://hooks/x?timeout=10s": context deadline exceeded';
      await expect(dispatch(bench)).rejects.toMatchObject({
        status: {
          code: 500,
          reason: "InternalError",
          message: `Internal error occurred: ${message}`,
          details: { causes: [{ message }] },
        },
      });
    });

    it(`is skipped with failurePolicy Ignore, and audited, when ${type}`, async () => {
      const bench = new WebhookBench({ w: failing }).configure(type, "c", [
        webhookJson("w", { failurePolicy: "Ignore" }),
      ]);
      await dispatch(bench);
      const prefix = type === "mutating" ? "mutation" : "validating";
      expect(bench.annotations[`failed-open.${prefix}.webhook.admission.k8s.io/round_0_index_0`]).toBe("w");
    });

    it(`may still deny with failurePolicy Ignore, when ${type}`, async () => {
      const w = webhookJson("w", { failurePolicy: "Ignore" });
      const bench = new WebhookBench({ w: () => ({ allowed: false }) }).configure(type, "c", [w]);
      await expect(dispatch(bench)).rejects.toThrow(/denied the request without explanation/);
    });

    it(`with side effects is not called on a dry run, when ${type}`, async () => {
      for (const [sideEffects, allowed] of [
        ["Some", false],
        ["Unknown", false],
        ["None", true],
        ["NoneOnDryRun", true],
      ] as const) {
        const bench = new WebhookBench({}).configure(type, "c", [
          webhookJson("w", { sideEffects, failurePolicy: "Ignore" }),
        ]);
        const request = bench.request({ dryRun: true });
        const answer = await answerTo(
          type === "mutating" ? bench.dispatcher.mutate(request, signal) : bench.dispatcher.validate(request, signal),
        );
        if (allowed) expect(answer).toBeInstanceOf(Object);
        else expect(answer).toBe('400 admission webhook "w" does not support dry run');
        expect(bench.calls).toEqual(allowed ? ["w"] : []);
      }
    });
  }

  it("is not called after the client disconnects", async () => {
    const client = new AbortController();
    const gone: Answer = () => {
      client.abort();
      return failing({} as never);
    };
    const ignored = { failurePolicy: "Ignore" };
    const bench = new WebhookBench({ a: gone }).configure("mutating", "c", [
      webhookJson("a", ignored),
      webhookJson("b", ignored),
    ]);
    expect(await answerTo(bench.dispatcher.mutate(bench.request(), client.signal))).toBe(
      "504 Timeout: request did not complete within requested timeout",
    );
    expect(bench.calls).toEqual(["a"]);
  });
});

describe("mutating webhooks", () => {
  it("are called in order of their configurations, each with the object that the previous one returned", async () => {
    const seenModes: unknown[] = [];
    const appending =
      (letter: string): Answer =>
      ({ request }) => {
        const { mode } = request["object"] as JsonObject;
        seenModes.push(mode);
        return patchOf(add("/mode", `${mode ?? ""}${letter}`));
      };
    const bench = new WebhookBench({ a: appending("a"), b: appending("b"), c: appending("c") })
      .configure("mutating", "second", [webhookJson("c")])
      .configure("mutating", "first", [webhookJson("a"), webhookJson("b")]);
    expect((await bench.dispatcher.mutate(bench.request(), signal))["mode"]).toBe("abc");
    expect(bench.calls).toEqual(["a", "b", "c"]);
    expect(seenModes).toEqual([undefined, "a", "ab"]);
  });

  it("return an object that is defaulted and pruned again", async () => {
    const w: Answer = () => patchOf({ op: "add", path: "/data", value: { a: "b" } }, add("/unknown", "x"));
    const bench = new WebhookBench({ w }).configure("mutating", "c", [webhookJson("w")]);
    expect(await bench.dispatcher.mutate(bench.request(), signal)).toEqual({
      ...objectOf(configMap),
      data: { a: "b" },
      mode: "plain",
    });
  });

  it("cannot return an object that does not match its schema", async () => {
    const kind = kindOf("", "v1", "ConfigMap", {
      decodeIssue: (object) => (typeof object["data"] === "string" ? "no such type" : undefined),
    });
    const bench = new WebhookBench({ w: () => patchOf(add("/data", "x")) }).configure("mutating", "c", [
      webhookJson("w"),
    ]);
    expect(await answerTo(bench.dispatcher.mutate(bench.request({ kind }), signal))).toBe(
      "500 Internal error occurred: no such type",
    );
  });

  it("receive the version they request, and change the one that the client sent", async () => {
    const w: Answer = ({ request }) => patchOf(add("/mode", (request["object"] as JsonObject)["apiVersion"] as string));
    const rules = [{ operations: ["*"], apiGroups: ["x.io"], apiVersions: ["v1beta1"], resources: ["widgets"] }];
    const bench = new WebhookBench({ w }).configure("mutating", "c", [webhookJson("w", { rules })]);
    const object = await bench.dispatcher.mutate(bench.request({ kind: alpha }), signal);
    expect(object).toMatchObject({ apiVersion: "x.io/v1alpha1", mode: "x.io/v1beta1" });
    expect(bench.requests[0]).toMatchObject({
      kind: { group: "x.io", version: "v1beta1", kind: "Widget" },
      resource: { version: "v1beta1", resource: "widgets" },
      requestKind: { version: "v1alpha1" },
      requestResource: { version: "v1alpha1" },
    });
    expect(beta.version).toBe("v1beta1");
  });

  it("are audited with their patches", async () => {
    const bench = new WebhookBench({
      w: () => ({ ...patchOf(add("/mode", "x")), auditAnnotations: { a: "b" } }),
    }).configure("mutating", "c", [webhookJson("w"), webhookJson("v")]);
    await bench.dispatcher.mutate(bench.request(), signal);
    expect(bench.annotations).toEqual({
      "w/a": "b",
      "patch.webhook.admission.k8s.io/round_0_index_0":
        '{"configuration":"c","webhook":"w","patch":[{"op":"add","path":"/mode","value":"x"}],"patchType":"JSONPatch"}',
      "mutation.webhook.admission.k8s.io/round_0_index_0": '{"configuration":"c","webhook":"w","mutated":true}',
      "mutation.webhook.admission.k8s.io/round_0_index_1": '{"configuration":"c","webhook":"v","mutated":false}',
    });
  });

  const again = { reinvocationPolicy: "IfNeeded" };
  const changing: Answer = ({ request }) => {
    const mode = String((request["object"] as JsonObject)["mode"] ?? "");
    return patchOf(add("/mode", `${mode}+`));
  };
  const once: Answer = () => patchOf(add("/mode", "set"));
  const reinvocations: Record<string, [webhooks: JsonObject[], answers: Record<string, Answer>, calls: string[]]> = {
    "not when nothing changed the object": [[webhookJson("a", again), webhookJson("b")], {}, ["a", "b"]],
    "when a later webhook changed the object": [
      [webhookJson("a", again), webhookJson("b")],
      { b: once },
      ["a", "b", "a"],
    ],
    "not with reinvocationPolicy Never": [[webhookJson("a"), webhookJson("b")], { b: once }, ["a", "b"]],
    "not for their own change": [[webhookJson("a", again), webhookJson("b")], { a: once }, ["a", "b"]],
    "not for an earlier change": [[webhookJson("a"), webhookJson("b", again)], { a: once }, ["a", "b"]],
    "at most once, even when the reinvocation changes the object": [
      [webhookJson("a", again), webhookJson("b", again)],
      { a: changing, b: changing },
      ["a", "b", "a", "b"],
    ],
    "all before the change": [
      [webhookJson("a", again), webhookJson("b", again), webhookJson("c")],
      { c: once },
      ["a", "b", "c", "a", "b"],
    ],
  };
  for (const [name, [webhooks, answers, calls]] of Object.entries(reinvocations)) {
    it(`are reinvoked: ${name}`, async () => {
      const bench = new WebhookBench(answers).configure("mutating", "c", webhooks);
      await bench.dispatcher.mutate(bench.request(), signal);
      expect(bench.calls).toEqual(calls);
    });
  }

  it("are called for deletes, may deny them, and cannot change the object", async () => {
    const deletion: Partial<AdmissionRequest> = { operation: "DELETE", oldObject: objectOf(configMap) };
    const request = (bench: WebhookBench) => {
      const { object: _, ...rest } = bench.request(deletion);
      return rest;
    };
    const fine = new WebhookBench({})
      .configure("mutating", "c", [webhookJson("w")])
      .configure("validating", "c", [webhookJson("v")]);
    expect(await fine.dispatcher.validate(request(fine), signal)).toEqual({ allowed: true });
    expect(fine.calls).toEqual(["w", "v"]);
    expect(fine.requests[0]).toMatchObject({ operation: "DELETE", object: null, oldObject: objectOf(configMap) });
    const rejecting = new WebhookBench({ w: () => ({ allowed: false }) }).configure("mutating", "c", [
      webhookJson("w"),
    ]);
    expect(await answerTo(rejecting.dispatcher.validate(request(rejecting), signal))).toMatch(/denied the request/);
    const patching = new WebhookBench({ w: once }).configure("mutating", "c", [webhookJson("w")]);
    expect(await answerTo(patching.dispatcher.validate(request(patching), signal))).toBe(
      '500 Internal error occurred: admission webhook "w" attempted to modify the object, which is not supported for this operation',
    );
  });
});

describe("validating webhooks", () => {
  it("receive the request as Kubernetes sends it", async () => {
    const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
    const all = new WebhookBench({}).configure("validating", "c", [webhookJson("w", { rules })]);
    await all.dispatcher.validate(all.request({ subresource: "status" }), signal);
    expect(all.requests[0]).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      subResource: "status",
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      requestResource: { group: "", version: "v1", resource: "configmaps" },
      requestSubResource: "status",
      name: "one",
      namespace: "shop",
      operation: "CREATE",
      userInfo: { username: "alice", uid: "2", groups: ["devs"] },
      object: objectOf(configMap),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    });
  });

  it("are called in parallel, up to a limit", async () => {
    let running = 0;
    let most = 0;
    const answer: Answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { allowed: true };
    };
    const names = Array.from({ length: 40 }, (_, index) => `w${index}`);
    const bench = new WebhookBench(Object.fromEntries(names.map((name) => [name, answer])));
    bench.configure(
      "validating",
      "c",
      names.map((name) => webhookJson(name)),
    );
    await bench.dispatcher.validate(bench.request(), signal);
    expect(bench.calls.length).toBe(40);
    expect(most).toBe(16);
  });

  it("are all called; the first rejection is returned", async () => {
    const denying: Answer = () => ({ allowed: false, warnings: ["w"] });
    const slow: Answer = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { allowed: false, status: { message: "slow" } };
    };
    const bench = new WebhookBench({ a: slow, b: denying }).configure("validating", "c", [
      webhookJson("a"),
      webhookJson("b"),
      webhookJson("d"),
    ]);
    expect(await answerTo(bench.dispatcher.validate(bench.request(), signal))).toBe(
      '400 admission webhook "a" denied the request: slow',
    );
    expect(bench.calls).toEqual(["a", "b", "d"]);
    expect(bench.warnings).toEqual(["w"]);
  });

  it("of other planes are not called", async () => {
    const bench = new WebhookBench({}).configure("validating", "c", [webhookJson("w")]);
    await bench.dispatcher.validate(bench.request({ plane: "project-a" }), signal);
    expect(bench.calls).toEqual([]);
  });
});

describe("webhook configurations", () => {
  const kind = kindOf("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", { scope: "Cluster" });
  const configuration = (...expressions: string[]): ApiObject =>
    objectOf(kind, {
      webhooks: [{ name: "w", matchConditions: expressions.map((expression) => ({ name: "c", expression })) }],
    });

  it("are exempt from webhooks: one that denies everything must be repairable", async () => {
    const everything = new WebhookBench({ w: () => ({ allowed: false }) })
      .configure("validating", "c", [webhookJson("w")])
      .configure("mutating", "c", [webhookJson("w")]);
    const request = everything.request({ kind, object: configuration() });
    expect(await everything.dispatcher.mutate(request, signal)).toBe(request.object);
    expect(await everything.dispatcher.validate(request, signal)).toEqual({ allowed: true });
  });

  it("are rejected with invalid match conditions, unless these were stored before", async () => {
    const bench = new WebhookBench({});
    const request = bench.request({ kind, object: configuration("true", "authorizer.allowed()") });
    expect(await answerTo(bench.dispatcher.validate(request, signal))).toBe(
      '422 ValidatingWebhookConfiguration.admissionregistration.k8s.io "one" is invalid: webhooks[0].matchConditions[1].expression: Invalid value: "authorizer.allowed()": the variable \'authorizer\' is not supported by this server',
    );
    const stored = { ...request, oldObject: configuration("authorizer.allowed()") };
    expect(await bench.dispatcher.validate(stored, signal)).toEqual({ allowed: true });
  });
});
