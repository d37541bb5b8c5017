// Writes packages/apiserver/src/http/protobuf/field-numbers.json: the protobuf field numbers of built-in kinds. Run it after
// tools/builtin-schemas.ts, whose structs it numbers:
//
//   tsx tools/protobuf-fields.ts "$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)"
//
// The numbers come from the tags of the Go types. `hostPath=2.1` is field 1 of the message in field 2: JSON inlines the
// fields of an embedded struct, protobuf has a separate message for it.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openApiName, structNames, structOf } from "@milo-quota/apiserver/registry/builtin/typed/struct-table.ts";

const target = "packages/apiserver/src/http/protobuf/field-numbers.json";

interface TaggedField {
  /** Empty for an embedded struct. */
  readonly json: string;
  readonly type: string;
  readonly number: number;
}

type TaggedStructs = ReadonlyMap<string, readonly TaggedField[]>;

const kubernetes = process.argv[2];
if (kubernetes === undefined)
  throw new Error('usage: tsx tools/protobuf-fields.ts "<folder of the k8s.io/kubernetes module>"');
const packages = new Map<string, TaggedStructs>();
const numbers = structNames().map((name): [string, string] => [name, numbersOf(name)]);
const output = { kubernetes: basename(kubernetes).replace(/^.*@/, ""), structs: Object.fromEntries(numbers) };
writeFileSync(target, `${JSON.stringify(output, null, 2)}\n`);
spawnSync("biome", ["format", "--write", target], { stdio: "inherit" });
console.log(`${target}: ${numbers.length} structs`);

function numbersOf(name: string): string {
  const [, typeName = ""] = /\.(\w+)$/.exec(name) ?? [];
  const found = numbered(packageOf(name), typeName);
  for (const field of structOf(name).fields.keys()) {
    if (!found.has(field) && field !== "kind" && field !== "apiVersion") throw new Error(`no number: ${name}.${field}`);
  }
  return [...found].map(([field, path]) => `${field}=${path}`).join(" ");
}

/** The path of field numbers to each field, through embedded structs. */
function numbered(structs: TaggedStructs, typeName: string): ReadonlyMap<string, string> {
  const fields = structs.get(typeName);
  if (fields === undefined) throw new Error(`no struct ${typeName}`);
  const found = new Map<string, string>();
  for (const { json, type, number } of fields) {
    if (json !== "") found.set(json, String(number));
    else for (const [inner, path] of numbered(structs, type)) found.set(inner, `${number}.${path}`);
  }
  return found;
}

function packageOf(name: string): TaggedStructs {
  const path = openApiName(name).split(".").slice(2, -1);
  const folder = join(dirname(kubernetes as string), `${path[0]}@${moduleVersion()}`, ...path.slice(1));
  const known = packages.get(folder) ?? taggedStructs(folder);
  packages.set(folder, known);
  return known;
}

function moduleVersion(): string {
  return basename(kubernetes as string).replace(/^.*@v1\./, "v0.");
}

function taggedStructs(folder: string): TaggedStructs {
  const sources = readdirSync(folder)
    .filter((name) => /^types.*\.go$/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return new Map(
    sources.flatMap((source) =>
      [...source.matchAll(/^type (\w+) struct ?\{(?:\}|\n([\s\S]*?)^\})/gm)].map(([, name = "", body = ""]) => [
        name,
        taggedFields(body),
      ]),
    ),
  );
}

/** Fields without a number are not sent: kind and apiVersion are in the envelope. */
function taggedFields(body: string): readonly TaggedField[] {
  return [...body.matchAll(/^\t(?:\w+[ \t]+)?([\w.*[\]]+)[ \t]+`(.*)`/gm)].flatMap(([, type = "", tags = ""]) => {
    const [, json = "-"] = /json:"([^",]*)/.exec(tags) ?? [];
    const [, number] = /protobuf:"\w+,(\d+),/.exec(tags) ?? [];
    return json === "-" || number === undefined ? [] : [{ json, type, number: Number(number) }];
  });
}
