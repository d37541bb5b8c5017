// Which module may import which. docs/architecture.md shows the same table; tools/architecture.test.ts enforces it.

interface ModuleRules {
  /** Other modules of this project that the module may import. */
  readonly modules: readonly string[];
  /** Packages that the module may import; "node" stands for Node's own modules. Does not apply to tests. */
  readonly packages: readonly string[];
}

const anyPackage = ["*"];
const sharedModules = ["protocol", "schema", "core", "client", "views", "telemetry"];

export const importTable: Readonly<Record<string, ModuleRules>> = {
  protocol: { modules: [], packages: [] },
  telemetry: { modules: ["protocol"], packages: anyPackage },
  schema: { modules: ["protocol"], packages: ["re2js"] },
  cel: { modules: ["protocol"], packages: ["re2js"] },
  core: { modules: ["protocol", "schema", "cel"], packages: ["@noble/hashes"] },
  client: { modules: ["protocol"], packages: anyPackage },
  apiserver: { modules: ["protocol", "schema", "cel", "client"], packages: anyPackage },
  views: { modules: ["protocol", "core", "client"], packages: anyPackage },
  controllers: { modules: sharedModules, packages: anyPackage },
  admission: { modules: sharedModules, packages: anyPackage },
  tenancy: { modules: sharedModules, packages: anyPackage },
  cli: { modules: ["protocol", "core", "client", "views", "telemetry"], packages: anyPackage },
  // Composes all modules in one process. Only server-thread.ts imports it.
  embedded: {
    modules: [...sharedModules, "apiserver", "controllers", "admission", "tenancy"],
    packages: anyPackage,
  },
};

/** Import rules between the folders of a module. A folder without a rule may import all its siblings. */
const innerTable: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: { resources: [], policy: ["resources"], ledger: ["resources"] },
  apiserver: {
    storage: [],
    registry: ["storage"],
    http: ["registry", "storage"],
    controllers: ["http", "registry", "storage"],
  },
};

const mainFile = "packages/quota/src/main.ts";

export interface Violation {
  readonly file: string;
  readonly imports: string;
  readonly because: string;
}

/** All import specifiers of a source, including type imports, re-exports and dynamic imports. */
export function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statement = /(?:^|[;}\s])(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?["']([^"']+)["']/g;
  const call = /\bimport\(\s*["'`]([^"'`]+)["'`]/g;
  return [...code.matchAll(statement), ...code.matchAll(call)].map((match) => match[1] as string);
}

export function violationsOf(file: string, source: string): Violation[] {
  return importsOf(source).flatMap((specifier) => {
    const target = targetOf(file, specifier);
    const because = target === undefined ? forbiddenPackage(file, specifier) : forbiddenModule(file, target);
    return because === undefined ? [] : [{ file, imports: specifier, because }];
  });
}

/** The file of this project that a specifier refers to; undefined for other packages. */
export function targetOf(file: string, specifier: string): string | undefined {
  const [, name, path] = /^@milo-quota\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name !== undefined) return `packages/${name}/${path?.startsWith("test/") ? "" : "src/"}${path}`;
  return specifier.startsWith(".") ? resolve(file, specifier) : undefined;
}

function forbiddenModule(file: string, target: string): string | undefined {
  if (target === mainFile) return "nothing imports main.ts";
  const from = moduleOf(file);
  const to = moduleOf(target);
  if (from === undefined) return undefined; // files outside of modules (tests, tools, benchmarks) may import all but main.ts
  if (to === undefined && isTestOf(file, target)) return undefined;
  if (to === undefined) return `${from} may not reach outside the packages`;
  if (from === to) return forbiddenFolder(from, file, target);
  const rules = importTable[from];
  if (rules === undefined) return `${from} is not in the import table`;
  return rules.modules.includes(to) ? undefined : `${from} may not import ${to}`;
}

/** Tests next to the code may import the test folder of their package. */
function isTestOf(file: string, target: string): boolean {
  const [folder] = /^packages\/[^/]+\//.exec(file) ?? [];
  return file.endsWith(".test.ts") && target.startsWith(`${folder}test/`);
}

function forbiddenFolder(module: string, file: string, target: string): string | undefined {
  const from = folderOf(file);
  const to = folderOf(target);
  const allowed = innerTable[module]?.[from];
  if (allowed === undefined || from === to || allowed.includes(to)) return undefined;
  return `${module}/${from} may not import ${module}/${to}`;
}

function forbiddenPackage(file: string, specifier: string): string | undefined {
  const module = moduleOf(file);
  if (module === undefined || file.endsWith(".test.ts")) return undefined;
  const allowed = importTable[module]?.packages ?? [];
  const name = specifier.startsWith("node:") ? "node" : packageOf(specifier);
  return allowed.includes("*") || allowed.includes(name) ? undefined : `${module} may not import the package ${name}`;
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] as string);
}

/** The API server is one module; in the other packages, each top-level folder is one. */
function moduleOf(path: string): string | undefined {
  const [, name, folder] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
  return name === "apiserver" ? name : folder;
}

function folderOf(path: string): string {
  const folders = /^packages\/[^/]+\/src\/(.*)\//.exec(path)?.[1]?.split("/") ?? [];
  return (moduleOf(path) === "apiserver" ? folders[0] : folders[1]) ?? "";
}

function resolve(file: string, specifier: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const step of specifier.split("/")) {
    if (step === "..") parts.pop();
    else if (step !== ".") parts.push(step);
  }
  return parts.join("/");
}
