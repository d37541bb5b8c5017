// A custom kind for each case, whose group is named after the namespace of the case.
import { type Case, cases, type Step } from "./case.ts";
import { get, post, remove, unseen } from "./steps.ts";

export const group = "{ns}.example.com";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const definitionAt = `${definitions}/widgets.${group}`;
export const widgets = `/apis/${group}/v1/namespaces/{ns}/widgets`;
export const widgetAt = `${widgets}/one`;

/** A schema with spec and status. */
export function schemaOf(spec: object, more: object = {}): object {
  return {
    type: "object",
    properties: {
      spec: { type: "object", ...spec },
      status: { type: "object", properties: { seen: { type: "integer" } } },
    },
    ...more,
  };
}

export function version(openAPIV3Schema: object, more: object = {}): object {
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...more };
}

export function definition(versions: readonly object[], spec: object = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions, ...spec },
  };
}

/** Creates a CRD and waits until its objects can be listed. */
export function defined(crd: object, path = widgets): readonly Step[] {
  return [post(definitions, crd, unseen), get(path, { until: 200, unseen: true })];
}

export function widget(spec: unknown, more: object = {}): object {
  return { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "one" }, spec, ...more };
}

/** Cases with objects of one custom kind. */
export function customCases(
  name: string,
  crd: object,
  table: Readonly<Record<string, readonly Step[] | Omit<Case, "name">>>,
): readonly Case[] {
  return cases(name, table).map((each) => ({
    ...each,
    steps: [...defined(crd), ...each.steps, remove(definitionAt, undefined, unseen)],
  }));
}
