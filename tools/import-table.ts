// Who may import whom. docs/architecture.md shows the same table; tools/architecture.test.ts enforces it.

interface Room {
  /** Other rooms of ours this room may import. */
  readonly rooms: readonly string[];
  /** Packages it may import; "node" stands for Node's own modules. Test files are not held to this list. */
  readonly packages: readonly string[];
}

const anyPackage = ["*"];
const viewRooms = ["protocol", "schema", "core", "client", "views", "telemetry"];

export const importTable: Readonly<Record<string, Room>> = {
  protocol: { rooms: [], packages: [] },
  telemetry: { rooms: ["protocol"], packages: anyPackage },
  schema: { rooms: ["protocol"], packages: ["re2js"] },
  cel: { rooms: ["protocol"], packages: ["re2js"] },
  core: { rooms: ["protocol", "schema", "cel"], packages: ["@noble/hashes"] },
  client: { rooms: ["protocol"], packages: anyPackage },
  apiserver: { rooms: ["protocol", "schema", "cel", "client"], packages: anyPackage },
  views: { rooms: ["protocol", "core", "client"], packages: anyPackage },
  controllers: { rooms: viewRooms, packages: anyPackage },
  admission: { rooms: viewRooms, packages: anyPackage },
  tenancy: { rooms: viewRooms, packages: anyPackage },
  cli: { rooms: ["protocol", "core", "client", "views", "telemetry"], packages: anyPackage },
  // Puts the halves together in one process. Only server-thread.ts starts it.
  embedded: {
    rooms: [...viewRooms, "apiserver", "controllers", "admission", "tenancy"],
    packages: anyPackage,
  },
};

/** Inside a room: which of its folders may import which others. A folder not named here may import its siblings. */
const innerTable: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: { resources: [], policy: ["resources"], ledger: ["resources"] },
  apiserver: {
    storage: [],
    registry: ["storage"],
    http: ["registry", "storage"],
    housekeeping: ["http", "registry", "storage"],
  },
};

const mainFile = "packages/quota/src/main.ts";

export interface Violation {
  readonly file: string;
  readonly imports: string;
  readonly because: string;
}

/** Every specifier a source imports, type imports, re-exports and dynamic imports included. */
export function importsOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statement = /(?:^|[;}\s])(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?["']([^"']+)["']/g;
  const call = /\bimport\(\s*["'`]([^"'`]+)["'`]/g;
  return [...code.matchAll(statement), ...code.matchAll(call)].map((match) => match[1] as string);
}

export function violationsOf(file: string, source: string): Violation[] {
  return importsOf(source).flatMap((specifier) => {
    const target = targetOf(file, specifier);
    const because = target === undefined ? refusedPackage(file, specifier) : refusedRoom(file, target);
    return because === undefined ? [] : [{ file, imports: specifier, because }];
  });
}

/** The file of ours that a specifier stands for; undefined for packages of others. */
export function targetOf(file: string, specifier: string): string | undefined {
  const [, name, path] = /^@milo-quota\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (name !== undefined) return `packages/${name}/${path?.startsWith("test/") ? "" : "src/"}${path}`;
  return specifier.startsWith(".") ? resolve(file, specifier) : undefined;
}

function refusedRoom(file: string, target: string): string | undefined {
  if (target === mainFile) return "nothing imports main.ts";
  const from = roomOf(file);
  const to = roomOf(target);
  if (from === undefined) return undefined; // files beside the rooms, tests, tools and benches see everything but main.ts
  if (to === undefined && isTestOf(file, target)) return undefined;
  if (to === undefined) return `${from} may not reach outside the packages`;
  if (from === to) return refusedFolder(from, file, target);
  const room = importTable[from];
  if (room === undefined) return `${from} is not a room of the import table`;
  return room.rooms.includes(to) ? undefined : `${from} may not import ${to}`;
}

/** Tests beside the code share what is in the test folder of their package. */
function isTestOf(file: string, target: string): boolean {
  const [folder] = /^packages\/[^/]+\//.exec(file) ?? [];
  return file.endsWith(".test.ts") && target.startsWith(`${folder}test/`);
}

function refusedFolder(room: string, file: string, target: string): string | undefined {
  const from = folderOf(file);
  const to = folderOf(target);
  const allowed = innerTable[room]?.[from];
  if (allowed === undefined || from === to || allowed.includes(to)) return undefined;
  return `${room}/${from} may not import ${room}/${to}`;
}

function refusedPackage(file: string, specifier: string): string | undefined {
  const room = roomOf(file);
  if (room === undefined || file.endsWith(".test.ts")) return undefined;
  const allowed = importTable[room]?.packages ?? [];
  const name = specifier.startsWith("node:") ? "node" : packageOf(specifier);
  return allowed.includes("*") || allowed.includes(name) ? undefined : `${room} may not import the package ${name}`;
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] as string);
}

/** The API server is one room; the other packages have one in each folder. */
function roomOf(path: string): string | undefined {
  const [, name, folder] = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
  return name === "apiserver" ? name : folder;
}

function folderOf(path: string): string {
  const folders = /^packages\/[^/]+\/src\/(.*)\//.exec(path)?.[1]?.split("/") ?? [];
  return (roomOf(path) === "apiserver" ? folders[0] : folders[1]) ?? "";
}

function resolve(file: string, specifier: string): string {
  const parts = file.split("/").slice(0, -1);
  for (const step of specifier.split("/")) {
    if (step === "..") parts.pop();
    else if (step !== ".") parts.push(step);
  }
  return parts.join("/");
}
