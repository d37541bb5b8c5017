import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { deployment } from "../builtin/kinds/deployment.ts";
import type { ApiObject } from "../kinds/api-object.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import type { WriteRequest } from "../object-request.ts";
import type { NextState } from "../update.ts";
import { scaleKind } from "./scale-kind.ts";
import { nextByScale, scaleOf } from "./scale-state.ts";

const widgets: ServedKind = {
  ...deployment,
  group: "shop.example.com",
  plural: "widgets",
  isCustom: true,
  scale: {
    specReplicasPath: ".spec.size.count",
    statusReplicasPath: ".status.count",
    labelSelectorPath: ".status.selector",
  },
};

/** Without managed fields, the server would track none. */
const managedFields = [
  {
    manager: "maker",
    operation: "Update",
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {}, "f:selector": {} } },
  },
];

function objectOf(kind: string, parts: JsonObject): ApiObject {
  const metadata = { name: "web", namespace: "team", uid: "uid-1", resourceVersion: "7", managedFields };
  return { apiVersion: "apps/v1", kind, metadata, ...parts } as unknown as ApiObject;
}

const web = objectOf("Deployment", {
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } } },
  status: { replicas: 1 },
});
const widget = objectOf("Widget", { spec: { size: { count: 4 } }, status: { count: 3, selector: "app=shop" } });

describe("the Scale of an object", () => {
  it("shows the desired and actual replicas of a deployment", () => {
    expect(scaleOf(web, deployment)).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "web", namespace: "team", uid: "uid-1", resourceVersion: "7" },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: "app=web" },
    });
  });

  it("reads the paths of a definition", () => {
    expect(scaleOf(widget, widgets)).toMatchObject({
      spec: { replicas: 4 },
      status: { replicas: 3, selector: "app=shop" },
    });
  });

  it("is undefined for an object without replicas", () => {
    const uncounted = objectOf("Widget", { spec: {} });
    expect(() => scaleOf(uncounted, widgets)).toThrow('the spec replicas field ".spec.size.count" does not exist');
  });

  it("has the columns of a Scale table", () => {
    const scale = scaleOf(web, deployment);
    expect(scaleKind.columns.slice(1, 3).map(({ name, read }) => [name, read?.(scale, 0)])).toEqual([
      ["Desired", 2],
      ["Available", 1],
    ]);
  });
});

function requestFor(kind: ServedKind): WriteRequest {
  return {
    plane: "root",
    kind,
    namespace: "team",
    subresource: "scale",
    user: { username: "ann", uid: "", groups: [], extra: {} },
    manager: "test",
    dryRun: false,
    fieldValidation: "Strict",
    warn: () => undefined,
    signal: new AbortController().signal,
  };
}

/** The result of changing an object's Scale. */
function changed(object: ApiObject | undefined, kind: ServedKind, parts: JsonObject): ApiObject {
  const change: NextState = (scale) => ({ ...(scale as JsonObject), ...parts }) as unknown as ApiObject;
  return nextByScale(change, requestFor(kind), "web", new FakeClock())(object);
}

describe("a change of a Scale", () => {
  it("changes the desired replicas of a deployment only", () => {
    const { metadata, ...rest } = changed(web, deployment, { spec: { replicas: 5 } }) as JsonObject;
    expect(rest).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      spec: { replicas: 5, selector: { matchLabels: { app: "web" } } },
      status: { replicas: 1 },
    });
    expect(metadata).toMatchObject({
      resourceVersion: "7",
      managedFields: [
        { manager: "maker", fieldsV1: { "f:spec": { "f:selector": {} } } },
        { manager: "test", subresource: "scale", fieldsV1: { "f:spec": { "f:replicas": {} } } },
      ],
    });
  });

  it("sets zero replicas when it specifies none", () => {
    expect(changed(web, deployment, { spec: {} })).toMatchObject({ spec: { replicas: 0 } });
  });

  it("writes to the path of a definition", () => {
    expect(changed(widget, widgets, { spec: { replicas: 9 } })).toMatchObject({ spec: { size: { count: 9 } } });
    expect(changed(objectOf("Widget", {}), widgets, { spec: { replicas: 9 } })).toMatchObject({
      spec: { size: { count: 9 } },
    });
  });

  const rejected: Record<
    string,
    [object: ApiObject | undefined, kind: ServedKind, parts: JsonObject, because: string]
  > = {
    "of a missing object": [undefined, deployment, {}, 'deployments.apps "web" not found'],
    "to a negative count": [
      web,
      deployment,
      { spec: { replicas: -1 } },
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    "of another object with the same name": [
      web,
      deployment,
      { metadata: { name: "web", uid: "uid-2" } },
      'Operation cannot be fulfilled on deployments/scale.apps "web": Precondition failed: UID in precondition: uid-2, UID in object meta: uid-1',
    ],
    "that leaves an object without replicas": [
      objectOf("Widget", {}),
      widgets,
      {},
      'the spec replicas field ".spec.size.count" cannot be empty',
    ],
  };
  for (const [name, [object, kind, parts, because]] of Object.entries(rejected)) {
    it(`${name} is rejected`, () => {
      expect(() => changed(object, kind, parts)).toThrow(StatusError);
      expect(() => changed(object, kind, parts)).toThrow(because);
    });
  }
});
