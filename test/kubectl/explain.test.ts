import { expect, it } from "vitest";
import { fails } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";
import { widgetsDefinition } from "./widgets.ts";

kubectlSuite("kubectl explain", ({ run, file }) => {
  it("shows a kind and its fields", async () => {
    const { code, out } = await run("explain configmap");
    expect(code).toBe(0);
    expect(out).toMatch(/^KIND: {7}ConfigMap\nVERSION: {4}v1\n\nDESCRIPTION:\n {4}\S/);
    expect(out.match(/^ {2}\w+\t.*$/gm)).toEqual([
      "  apiVersion\t<string>",
      "  binaryData\t<map[string]string>",
      "  data\t<map[string]string>",
      "  immutable\t<boolean>",
      "  kind\t<string>",
      "  metadata\t<ObjectMeta>",
    ]);
  });

  it("shows a nested field", async () => {
    const { out } = await run("explain pods.spec.containers.image");
    expect(out).toMatch(/^KIND: {7}Pod\nVERSION: {4}v1\n\nFIELD: image <string>\n\n\nDESCRIPTION:\n {4}\S/);
  });

  it("shows the fields of a pod spec", async () => {
    const { out } = await run("explain pods.spec");
    expect(out).toContain("FIELD: spec <PodSpec>\n");
    expect(out).toContain("\n  containers\t<[]Container> -required-\n");
    expect(out).toContain("\n  restartPolicy\t<string>\n  enum: Always, Never, OnFailure\n");
  });

  it("shows all fields recursively", async () => {
    const { out } = await run("explain deployment.spec.strategy --recursive");
    expect(out).toMatch(/^GROUP: {6}apps\nKIND: {7}Deployment\nVERSION: {4}v1\n/);
    expect(out.slice(out.indexOf("FIELDS:"))).toBe(`FIELDS:
  rollingUpdate\t<RollingUpdateDeployment>
    maxSurge\t<IntOrString>
    maxUnavailable\t<IntOrString>
  type\t<string>
  enum: Recreate, RollingUpdate

`);
  });

  it("shows a custom kind", async () => {
    file("widgets.yaml", widgetsDefinition);
    await run("apply -f widgets.yaml");
    await run("wait --for=condition=Established crd/widgets.shop.example.com");
    expect((await run("explain widget.spec --recursive")).out).toBe(`GROUP:      shop.example.com
KIND:       Widget
VERSION:    v1

FIELD: spec <Object>


DESCRIPTION:
    What is wanted.
    
FIELDS:
  color\t<string> -required-
  enum: red, green, blue
  count\t<integer>
  parts\t<[]Object>
    name\t<string>
    weight\t<integer>

`);
  });

  it("shows the values of an enum field", async () => {
    const { out } = await run("explain wd.spec.color");
    expect(out).toContain(
      "FIELD: color <string>\nENUM:\n    red\n    green\n    blue\n\nDESCRIPTION:\n    Color of the widget.\n",
    );
  });

  it("works with OpenAPI v2", async () => {
    const { out, err } = await run("explain wd.spec.color --output=plaintext-openapiv2");
    expect([out, err]).toEqual([expect.stringContaining("Color of the widget."), ""]);
  });

  it("fails for an unknown field and an unknown kind", async () => {
    expect(await run("explain widget.spec.nosuch")).toEqual({
      code: 1,
      out: "GROUP:      shop.example.com\nKIND:       Widget\nVERSION:    v1\n\n",
      err: 'error: field "nosuch" does not exist\n',
    });
    expect(await run("explain nosuch")).toEqual(fails(`the server doesn't have a resource type "nosuch"`));
  });
});
