import { itemPath } from "../../../../protocol/field-issue.ts";
import { quote } from "../../../../protocol/go-quote.ts";
import { same } from "../field-checks.ts";
import type { Container, PodSpec, PodTemplate } from "./pod-object.ts";

/** Things that are accepted and seldom meant. */
export function podTemplateWarnings(
  template: PodTemplate,
  old: PodTemplate | undefined,
  path: string,
): readonly string[] {
  return old !== undefined && same(template, old) ? [] : podSpecWarnings(template.spec, `${path}.spec`);
}

export function podSpecWarnings(spec: PodSpec, path: string): readonly string[] {
  return [
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(["initContainers", "containers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, index) =>
        containerWarnings(container, itemPath(`${path}.${list}`, index)),
      ),
    ),
  ];
}

function containerWarnings({ env = [], ports = [], resources = {} }: Container, path: string): readonly string[] {
  return [
    ...env.flatMap(({ name }, index) => {
      const first = env.findIndex((earlier) => earlier.name === name);
      if (first === index) return [];
      const at = itemPath(`${path}.env`, index);
      return [`${at}: hides previous definition of ${quote(name)}, which may be dropped when using apply`];
    }),
    ...ports.flatMap(({ containerPort, protocol, hostPort, hostIP }, index) => {
      const first = ports.findIndex((port) => port.containerPort === containerPort && port.protocol === protocol);
      const earlier = ports[first];
      if (first === index || earlier === undefined) return [];
      const isSame = earlier.hostPort === hostPort && earlier.hostIP === hostIP;
      const at = itemPath(`${path}.ports`, index);
      return isSame
        ? [`${at}: duplicate port definition with ${itemPath(`${path}.ports`, first)}`]
        : [`${at}: duplicate port number with ${itemPath(`${path}.ports`, first)}`];
    }),
    ...fractionWarnings(resources, `${path}.resources`),
  ];
}

/** Bytes do not come in thousandths: whoever writes `128m` means `128M`. */
function fractionWarnings(resources: NonNullable<Container["resources"]>, path: string): readonly string[] {
  return (["limits", "requests"] as const).flatMap((list) =>
    ["memory", "ephemeral-storage"]
      .filter((name) => /m$/.test(resources[list]?.[name] ?? ""))
      .map((name) => {
        const at = itemPath(`${path}.${list}`, name);
        return `${at}: fractional byte value ${quote(resources[list]?.[name] ?? "")} is invalid, must be an integer`;
      }),
  );
}
