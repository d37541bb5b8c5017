import { renderIssue } from "@milo-quota/kubernetes/cel/issue.ts";
import { describe, expect, it } from "vitest";
import { claimPolicyVariables, grantPolicyVariables } from "./policy-variables.ts";
import { compileTemplate, type Rendered } from "./template.ts";

const trigger = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "Web.App", namespace: "team-a", labels: { env: "prod", "app.io/tier": "gold" }, annotations: {} },
  spec: {
    replicas: 3,
    ratio: 1.5,
    big: 9007199254740993n,
    on: true,
    off: false,
    list: ["a", "b"],
    map: { k: "v" },
    nothing: null,
    empty: "",
  },
};
const bindings = {
  trigger,
  object: trigger,
  user: { name: "jane", uid: "u1", groups: ["admin", "dev"], extra: { scopes: ["x"] } },
  requestInfo: { verb: "create", resource: "pods" },
};

function render(text: string): Rendered | string[] {
  const compiled = compileTemplate(text, claimPolicyVariables);
  return compiled.ok
    ? compiled.template.render(bindings)
    : compiled.issues.map((issue) => `${issue.offset}: ${issue.message}`);
}

function textOf(text: string): string {
  const rendered = render(text);
  if (Array.isArray(rendered)) throw new Error(rendered.join("\n"));
  if (!rendered.ok) throw new Error(rendered.message);
  return rendered.text;
}

describe("text and actions", () => {
  const cases: Record<string, [template: string, text: string]> = {
    "plain text": ["milo-system", "milo-system"],
    "nothing at all": ["", ""],
    "an action": ["{{ trigger.metadata.name }}", "Web.App"],
    "an action without spaces": ["{{trigger.metadata.name}}", "Web.App"],
    "an action over several lines": ["{{\n  trigger.metadata.name\n}}", "Web.App"],
    "text around actions": ["a-{{ trigger.kind }}-{{ trigger.spec.replicas }}-z", "a-Pod-3-z"],
    "actions side by side": ["{{ trigger.kind }}{{ trigger.kind }}", "PodPod"],
    "single braces": ["{a} } {", "{a} } {"],
    "closing braces without opening ones": ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    "braces in double quotes": ['{{ "}}" }}', "}}"],
    "braces in single quotes": ["{{ '{{' }}", "{{"],
    "braces in backquotes": ["{{ `}}` | lower }}", "}}"],
    "an escaped quote": ['{{ "a\\"}}b" }}', 'a"}}b'],
    "a raw string that ends with a backslash": ['{{ r"\\" }}', "\\"],
    "a triple quoted string": ['{{ """a"}}"b""" }}', 'a"}}"b'],
    "a map inside an action": ['{{ {"a": {"b": "c"}}["a"]["b"] }}', "c"],
    "a map right before the end": ['{{ "k" in {"k":1}}}', "true"],
    "three braces": ["{{{ 'a': 'b' }['a']}}", "b"],
    "white space that goes, as in Go": ["a  {{- trigger.kind }} z", "aPod z"],
    "white space that goes after": ["a {{ trigger.kind -}}  z", "a Podz"],
    "a minus that belongs to the expression": ["{{-1}}", "-1"],
  };
  for (const [name, [template, text]] of Object.entries(cases)) {
    it(name, () => expect(textOf(template)).toBe(text));
  }

  it("white space on both sides, as in Go", () => expect(textOf("a \n {{- trigger.kind -}} \n z")).toBe("aPodz"));

  const rejected: Record<string, [template: string, issue: string]> = {
    "braces that never close": ["a {{ trigger.kind", "2: missing closing }}"],
    "braces that close only inside quotes": ['{{ "}}', '3: missing closing "'],
    "a quote that never closes": ["{{ 'a }}", "3: missing closing '"],
    "an empty action": ["a {{ }}", "5: empty action"],
    "a brace inside that never closes": ["{{ {1: 2 }}", "0: missing closing }}"],
  };
  for (const [name, [template, issue]] of Object.entries(rejected)) {
    it(`rejects ${name}`, () => expect(render(template)).toEqual([issue]));
  }
});

describe("CEL in an action", () => {
  const cases: Record<string, string> = {
    "{{ trigger.metadata.labels['env'] }}": "prod",
    "{{ object.metadata.name.lowerAscii() }}": "web.app",
    "{{ .trigger.metadata.name }}": "Web.App",
    "{{.trigger.metadata.namespace}}": "team-a",
    "{{ trigger.spec.replicas * 2 }}": "6",
    "{{ trigger.spec.big }}": "9007199254740993",
    "{{ trigger.spec.ratio }}": "1.5",
    "{{ trigger.spec.on }}": "true",
    "{{ user.groups.join('+') }}": "admin+dev",
    "{{ user.extra['scopes'][0] }}": "x",
    "{{ requestInfo.verb + '-' + requestInfo.resource }}": "create-pods",
    "{{ has(trigger.spec.missing) ? 'yes' : 'no' }}": "no",
    "{{ trigger.?spec.?missing.orValue('none') }}": "none",
    "{{ true || false }}": "true",
    "{{ 'a|b'.split('|')[0] }}": "a",
    "{{ trigger.kind + ' | ' + trigger.kind }}": "Pod | Pod",
    '{{ """x|y""" }}': "x|y",
    "{{ r'a|b' }}": "a|b",
    "{{ duration('90m') }}": "5400s",
    "{{ timestamp('2026-01-01T00:00:00Z') }}": "2026-01-01T00:00:00Z",
  };
  for (const [template, text] of Object.entries(cases)) {
    it(`${template} is ${text}`, () => expect(textOf(template)).toBe(text));
  }

  it("is rejected when its type cannot be converted to a string", () => {
    expect(render("x-{{ [1, 2] }}")).toEqual([
      "5: expected a value that can be converted to a string, but found 'list(int)'",
    ]);
    expect(render("{{ user }}")).toEqual(["3: expected a value that can be converted to a string, but found 'User'"]);
    expect(render("{{ b'x' }}")).toEqual(["3: expected a value that can be converted to a string, but found 'bytes'"]);
  });

  it("is rejected with all its issues", () => {
    const template = "a-{{ trigger.kind + nope }}-{{ lower(trigger.kind) }}";
    const compiled = compileTemplate(template, claimPolicyVariables);
    const issues = compiled.ok ? [] : compiled.issues.map((issue) => renderIssue(template, issue));
    expect(issues).toEqual([
      `ERROR: <input>:1:21: undeclared reference to 'nope' (in container '')\n | ${template}\n | ....................^`,
      `ERROR: <input>:1:37: undeclared reference to 'lower' (in container '')\n | ${template}\n | ....................................^`,
    ]);
  });

  it("distinguishes missing keys from other failures", () => {
    expect(render("{{ trigger.spec.missing }}")).toEqual({
      ok: false,
      kind: "missing-key",
      message: "{{ trigger.spec.missing }}: no such key: missing",
    });
    expect(render("{{ trigger.spec.replicas / 0 }}")).toMatchObject({
      ok: false,
      kind: "failed",
      message: expect.stringContaining("division by zero"),
    });
    expect(render("{{ trigger }}")).toEqual({
      ok: false,
      kind: "failed",
      message: "{{ trigger }}: a map cannot be converted to a string",
    });
    expect(render("{{ trigger.spec.list }}")).toMatchObject({
      ok: false,
      kind: "failed",
      message: expect.stringContaining("cannot be converted to a string"),
    });
    expect(render("{{ trigger.spec.nothing }}")).toMatchObject({
      ok: false,
      kind: "failed",
      message: "{{ trigger.spec.nothing }}: a null_type cannot be converted to a string",
    });
  });

  it("sees only the variables of its kind of policy", () => {
    const compiled = compileTemplate("{{ user.name }}{{ .user.name | lower }}", grantPolicyVariables);
    expect(compiled.ok ? [] : compiled.issues.map((issue) => issue.message)).toEqual([
      "undeclared reference to 'user' (in container '')",
      "undeclared variable .user: available are .trigger, .object",
    ]);
  });
});

describe("Go pipelines in an action", () => {
  const cases: Record<string, string> = {
    "{{ lower .trigger.metadata.name }}": "web.app",
    "{{ .trigger.metadata.name | lower }}": "web.app",
    '{{ .trigger.metadata.name | replace "." "-" | lower }}': "web-app",
    '{{ replace "." "-" .trigger.metadata.name }}': "Web-App",
    "{{ upper .trigger.kind }}": "POD",
    '{{ title "hello wide-open world" }}': "Hello Wide-Open World",
    '{{ trim "  x " }}': "x",
    '{{default "milo-system" .trigger.metadata.namespace}}': "team-a",
    '{{ default "milo-system" .trigger.metadata.nothing }}': "milo-system",
    '{{ .trigger.spec.missing.deeper | default "none" }}': "none",
    '{{ .trigger.spec.missing | lower | default "none" }}': "none",
    '{{ .trigger.spec.empty | default "none" }}': "none",
    '{{ .trigger.spec.off | default "none" }}': "none",
    '{{ .trigger.spec.nothing | default "none" }}': "none",
    "{{ .trigger.spec.nothing | default 5 }}": "5",
    '{{ contains "eb" .trigger.metadata.name }}': "true",
    '{{ join "," .trigger.spec.list }}': "a,b",
    '{{ join .trigger.spec.list "," }}': "a,b",
    '{{ .trigger.metadata.name | split "." | join "_" }}': "Web_App",
    '{{ toInt "42" }}': "42",
    '{{ toInt "9007199254740993" }}': "9007199254740993",
    "{{ toInt .trigger.spec.ratio }}": "1",
    "{{ toInt .trigger.spec.on }}": "1",
    "{{ toString .trigger.spec.replicas }}": "3",
    "{{ .trigger.spec.big | toString }}": "9007199254740993",
    '{{ default "x" (lower .trigger.metadata.name) }}': "web.app",
    "{{ (lower .trigger.metadata.name) }}": "web.app",
    '{{ default "x" (.trigger.spec.missing | lower) }}': "x",
    "{{ `a\\b` | upper }}": "A\\B",
    '{{ "tab\\t" | trim }}': "tab",
    "{{ true | toString }}": "true",
    "{{ .user.groups | join `+` }}": "admin+dev",
    "{{ .requestInfo.verb | upper }}": "CREATE",
    "{{- .trigger.kind | lower -}}": "pod",
    "{{ 9223372036854775807 | toString }}": "9223372036854775807",
    '{{ "\\x41\\u00e9\\101\\"" | lower }}': 'aéa"',
  };
  for (const [template, text] of Object.entries(cases)) {
    it(`${template} is ${text}`, () => expect(textOf(template)).toBe(text));
  }

  const rejected: Record<string, string> = {
    "{{ lower }}": "3: undeclared reference to 'lower' (in container '')",
    "{{ .trigger.kind | lower .trigger.kind }}": "19: lower takes 1 arguments, not 2: lower text",
    '{{ replace "a" .trigger.kind }}': "3: replace takes 3 arguments, not 2: replace old new text",
    "{{ .trigger.kind | shout }}":
      "19: unknown function shout: available are default, lower, upper, title, trim, contains, replace, split, join, toInt, toString",
    "{{ .trigger.kind | .user.name }}": "19: expected a function after |, but found .user.name",
    "{{ trigger.metadata.name | lower }}": "3: a path in a pipeline must start with a dot: .trigger.metadata.name",
    "{{ .unknown.kind | lower }}":
      "3: undeclared variable .unknown: available are .trigger, .object, .user, .requestInfo",
    '{{ default "x" lower .trigger.kind }}': "15: lower must be in parentheses together with its arguments",
    "{{ lower (.trigger.kind | upper }}": "9: missing closing )",
    "{{ .trigger.kind | }}": "18: unexpected the end",
    "{{ .trigger.kind | lower ) }}": "25: unexpected )",
    "{{ lower .trigger.kind & upper }}": "23: unexpected &",
    "{{ if .trigger.kind }}x{{ end }}": "3: if is not supported in templates: use a CEL expression, such as a ? b : c",
    "{{ range .trigger.spec.list }}": "3: range is not supported in templates: use a CEL expression, such as a ? b : c",
    "{{ $x := .trigger.kind }}": "3: $x is not supported in templates: use a CEL expression, such as a ? b : c",
    "{{/* why */}}": "2: /* is not supported in templates: use a CEL expression, such as a ? b : c",
    '{{ lower "\\q" }}': '9: malformed string "\\q"',
  };
  for (const [template, issue] of Object.entries(rejected)) {
    it(`rejects ${template}`, () => expect(render(template)).toContain(issue));
  }

  const failing: Record<string, string> = {
    "{{ .trigger.spec.missing | lower }}": "{{ .trigger.spec.missing | lower }}: no such value",
    "{{ lower .trigger.spec.list }}": "{{ lower .trigger.spec.list }}: lower takes a string, not a list",
    "{{ upper .trigger.spec.replicas }}": "{{ upper .trigger.spec.replicas }}: upper takes a string, not an integer",
    '{{ join "," .trigger.kind }}':
      '{{ join "," .trigger.kind }}: join takes a separator and a list, not a string and a string',
    '{{ toInt "x" }}': '{{ toInt "x" }}: toInt cannot convert "x" to an integer',
    "{{ toInt .trigger.spec.map }}": "{{ toInt .trigger.spec.map }}: toInt cannot convert a map to an integer",
    "{{ toString .trigger.spec.list }}": "{{ toString .trigger.spec.list }}: toString cannot convert a list",
    '{{ .trigger.kind | split "o" }}': '{{ .trigger.kind | split "o" }}: a list cannot be converted to a string',
    "{{ contains 1 .trigger.kind }}": "{{ contains 1 .trigger.kind }}: contains takes strings, not an integer",
    "{{ default .trigger.spec.list .trigger.spec.missing }}":
      "{{ default .trigger.spec.list .trigger.spec.missing }}: a list cannot be converted to a string",
  };
  for (const [template, message] of Object.entries(failing)) {
    it(`fails on ${template}`, () => expect(render(template)).toMatchObject({ ok: false, message }));
  }

  it("cannot use up the memory", () => {
    const grow = `{{ .trigger.kind ${'| replace "" "0123456789" '.repeat(8)}}}`;
    expect(render(grow)).toMatchObject({ ok: false, message: expect.stringContaining("more than 262144 characters") });
    expect(render(`{{ "${"9".repeat(100)}" | toInt }}`)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/toInt cannot convert "9+" to an integer$/),
    });
  });

  it("cannot read properties of JavaScript objects", () => {
    expect(textOf('{{ .trigger.constructor | default "safe" }}')).toBe("safe");
    expect(textOf('{{ .trigger.metadata.toString | default "safe" }}')).toBe("safe");
    expect(render("{{ .trigger.kind | constructor }}")).toEqual([
      expect.stringContaining("unknown function constructor"),
    ]);
  });

  it("is limited in its nesting", () => {
    expect(render(`{{ lower ${"(".repeat(60)}.trigger.kind${")".repeat(60)} }}`)).toEqual([
      expect.stringContaining("nested deeper than 50 levels"),
    ]);
  });
});
