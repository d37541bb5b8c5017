import { expect, it } from "vitest";
import { fails, rows, succeeds } from "./command-result.ts";
import { kubectlSuite } from "./kubectl-suite.ts";
import { widget, widgetsDefinition } from "./widgets.ts";

const definition = "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example.com";
const unchecked =
  "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

kubectlSuite("kubectl with a custom kind", ({ run, file }) => {
  it("serves the kind when its CRD is created", async () => {
    file("widgets.yaml", widgetsDefinition);
    expect(await run("apply -f widgets.yaml")).toEqual(succeeds(`${definition} created`));
    expect(await run("wait --for=condition=Established crd/widgets.shop.example.com")).toEqual(
      succeeds(`${definition} condition met`),
    );
    expect(await run("apply -f widgets.yaml")).toEqual(succeeds(`${definition} unchanged`));
    expect(rows(await run("api-resources --api-group=shop.example.com"))).toEqual([
      ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"],
      ["widgets", "wd", "shop.example.com/v1", "true", "Widget"],
    ]);
  });

  it("creates, shows and updates objects", async () => {
    file("chair.yaml", widget("chair", "color: red"));
    expect(await run("apply -f chair.yaml")).toEqual(succeeds("widget.shop.example.com/chair created"));
    expect(await run("apply -f chair.yaml")).toEqual(succeeds("widget.shop.example.com/chair unchanged"));
    file("chair.yaml", widget("chair", "color: green", "parts: [{name: leg, weight: 2}]"));
    expect(await run("apply -f chair.yaml")).toEqual(succeeds("widget.shop.example.com/chair configured"));
    expect(await run("apply --server-side -f chair.yaml")).toEqual(
      succeeds("widget.shop.example.com/chair serverside-applied"),
    );
  });

  it("shows the printer columns for all names of the kind", async () => {
    const table = [
      ["NAME", "COLOR", "COUNT", "AGE"],
      ["chair", "green", "1", "AGE"],
    ];
    for (const name of ["widgets", "widget", "wd", "widgets.shop.example.com", "widgets.v1.shop.example.com"]) {
      expect(rows(await run(`get ${name}`)), name).toEqual(table);
    }
    expect(rows(await run("get all"))[1]).toEqual(["widget.shop.example.com/chair", "green", "1", "AGE"]);
  });

  it("has a status subresource", async () => {
    const status = `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`;
    expect(await run(`patch wd chair --type=merge -p '${status}'`)).toEqual(
      succeeds("widget.shop.example.com/chair patched (no change)"),
    );
    expect(await run(`patch wd chair --type=merge --subresource=status -p '${status}'`)).toEqual(
      succeeds("widget.shop.example.com/chair patched"),
    );
    expect(rows(await run("get wd -o wide"))).toEqual([
      ["NAME", "COLOR", "COUNT", "READY", "AGE"],
      ["chair", "green", "1", "True", "AGE"],
    ]);
  });

  it("has a scale subresource", async () => {
    expect(await run("scale widget chair --replicas=4")).toEqual(succeeds("widget.shop.example.com/chair scaled"));
    expect(rows(await run("get widget chair --subresource=scale"))).toEqual([
      ["NAME", "DESIRED", "AVAILABLE", "AGE"],
      ["chair", "4", "0", "AGE"],
    ]);
    expect(await run("scale widget chair --replicas=40")).toEqual(
      fails(
        'The Widget "chair" is invalid: spec.count: Invalid value: 40: spec.count in body should be less than or equal to 10',
      ),
    );
  });

  it("rejects strategic merge patches", async () => {
    expect(await run(`patch wd chair -p '{"spec":{"color":"blue"}}'`)).toEqual(
      fails(
        "error: application/strategic-merge-patch+json is not supported by shop.example.com/v1, Kind=Widget: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
      ),
    );
  });

  it("describes an object field by field", async () => {
    const { out } = await run("describe widget chair");
    expect(out).toMatch(/^Name: {9}chair\nNamespace: {4}default\nLabels: {7}<none>\n/);
    expect(out).toContain("API Version:  shop.example.com/v1\nKind:         Widget\nMetadata:\n");
    expect(out).toContain("Spec:\n  Color:  green\n  Count:  4\n  Parts:\n    Name:    leg\n    Weight:  2\n");
    expect(out).toContain("Status:\n  Conditions:\n    Status:  True\n    Type:    Ready\nEvents:      <none>\n");
  });

  it("describes the CRD", async () => {
    const { out } = await run("describe crd widgets.shop.example.com");
    expect(out).toContain("Kind:         CustomResourceDefinition\n");
    expect(out).toContain("    Message:               the initial names have been accepted\n");
    expect(out).toContain("  Stored Versions:\n    v1\n");
  });

  const invalid: Record<string, [spec: readonly string[], message: readonly string[]]> = {
    "all invalid fields": [
      ["color: pink", "count: 70"],
      [
        'The Widget "bad" is invalid: ',
        '* spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"',
        "* spec.count: Invalid value: 70: spec.count in body should be less than or equal to 10",
        unchecked,
      ],
    ],
    "a missing field": [["count: 1"], ['The Widget "bad" is invalid: ', "* spec.color: Required value", unchecked]],
    "a violated rule": [
      ["color: red", "count: 7"],
      ['The Widget "bad" is invalid: spec: Invalid value: "object": seven is bad luck'],
    ],
    "an unknown field": [
      ["color: red", "kolor: red"],
      [
        'Error from server (BadRequest): error when creating "bad.yaml": Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.kolor"',
      ],
    ],
  };
  for (const [name, [spec, lines]] of Object.entries(invalid)) {
    it(`rejects ${name}`, async () => {
      file("bad.yaml", widget("bad", ...spec));
      expect(await run("apply -f bad.yaml")).toEqual(fails(...lines));
    });
  }

  it("drops an unknown field with --validate=ignore", async () => {
    file("odd.yaml", widget("odd", "color: red", "kolor: red"));
    expect(await run("create -f odd.yaml --validate=warn")).toEqual({
      ...succeeds("widget.shop.example.com/odd created"),
      err: 'Warning: unknown field "spec.kolor"\n',
    });
    expect((await run("get wd odd -o jsonpath='{.spec}'")).out).toBe('{"color":"red","count":1}');
  });

  it("stops serving the kind and deletes its objects with the CRD", async () => {
    expect(await run("delete -f widgets.yaml")).toEqual(
      succeeds('customresourcedefinition.apiextensions.k8s.io "widgets.shop.example.com" deleted'),
    );
    expect((await run("get wd")).code).toBe(1);
    expect(await run("apply -f widgets.yaml")).toEqual(succeeds(`${definition} created`));
    await run("wait --for=condition=Established crd/widgets.shop.example.com");
    expect(await run("get wd")).toEqual({ ...succeeds(), err: "No resources found in default namespace.\n" });
  });

  it("reports errors of a CRD", async () => {
    file("wrong.yaml", widgetsDefinition.replace("name: widgets.shop", "name: gadgets.shop"));
    expect(await run("create -f wrong.yaml")).toEqual(
      fails(
        'The CustomResourceDefinition "gadgets.shop.example.com" is invalid: metadata.name: Invalid value: "gadgets.shop.example.com": must be spec.names.plural+"."+spec.group',
      ),
    );
  });
});
