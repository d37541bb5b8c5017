import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import type { Body } from "../apiserver/test-server.ts";
import { inProject, membership, memberships, person, quota, usersPath } from "../tenancy/tenant-world.ts";
import { type Answer, eventually, FrontDoor } from "./front-door.ts";
import { type Ending, RunningProgram } from "./running-program.ts";

/** What a bucket says: limit, allocated, reserved, available. */
export type Figures = readonly [limit: number, allocated: number, reserved: number, available: number];

export const claimPolicies = `${quota}/claimcreationpolicies`;
export const buckets = `${quota}/allowancebuckets`;
export const claims = `${quota}/resourceclaims`;

export const isTrue =
  (wanted: string) =>
  ({ metadata, status }: Body): boolean =>
    (status?.observedGeneration ?? metadata.generation) === metadata.generation &&
    (status?.conditions ?? []).some(({ type, status: is }: Body) => type === wanted && is === "True");

export const hasReason =
  (wanted: string) =>
  ({ metadata, status }: Body): boolean =>
    status?.observedGeneration === metadata.generation &&
    status.conditions.some(({ reason }: Body) => reason === wanted);

function errorsIn(log: string): readonly string[] {
  const lines = log.split("\n").filter((line) => line !== "");
  const entries = lines.map((line) => JSON.parse(line) as { readonly level: string; readonly message: string });
  return entries.filter(({ level }) => !["debug", "info", "warn"].includes(level)).map(({ message }) => message);
}

/** A server in a process of its own, on one data folder for as many starts as it takes. */
export class StoryWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), "milo-quota-story-"));
  readonly #program: ServerProgram;
  /** What the log may say went wrong. */
  readonly #expected: RegExp;
  readonly #doors: FrontDoor[] = [];
  readonly #tokens = new Map<string, string>();
  #running: RunningProgram | undefined;

  private constructor(program: ServerProgram, expected: RegExp) {
    this.#program = program;
    this.#expected = expected;
  }

  static async build(expected: RegExp = /$^/): Promise<StoryWorld> {
    return new StoryWorld(await buildServer("packages/quota/src/main.ts"), expected);
  }

  async start(flags: readonly string[] = []): Promise<void> {
    this.#running = RunningProgram.ofBundle(this.#program, ["up", "--port", "0", "--data-dir", this.#data, ...flags]);
    await this.#running.welcome();
    this.#doors.push(FrontDoor.byKubeconfig(this.#kubeconfig));
    for (const token of this.#tokens.values()) this.#doors.push(await this.admin.as(token));
  }

  /** As those do who stop it in order. */
  async stop(): Promise<void> {
    await Promise.all(this.#doors.splice(0).map((door) => door.close()));
    const ending = await this.#running?.end("SIGTERM");
    expect(ending?.code, ending?.stderr).toBe(0);
    expect(errorsIn(ending?.stderr ?? "").filter((message) => !this.#expected.test(message))).toEqual([]);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#doors.splice(0).map((door) => door.close()));
    await this.#running?.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
    this.#program.remove();
  }

  get admin(): FrontDoor {
    return this.#doors[0] as FrontDoor;
  }

  /** Whoever was made a user. */
  as(user: string): FrontDoor {
    return this.#doors[1 + [...this.#tokens.keys()].indexOf(user)] as FrontDoor;
  }

  /** Our own command line, on this server. */
  async command(...words: readonly string[]): Promise<Ending> {
    return RunningProgram.ofBundle(this.#program, [...words, "--kubeconfig", this.#kubeconfig]).ending;
  }

  /** Somebody with a token that the command line made. */
  async user(name: string): Promise<void> {
    await this.made(this.admin.apply(`${usersPath}/${name}`, person(name)));
    if (this.#tokens.has(name)) return;
    const { code, stdout, stderr } = await this.command("token", "create", "--user", name);
    expect(code, stderr).toBe(0);
    const token = stdout.trim();
    this.#tokens.set(name, token);
    this.#doors.push(await this.admin.as(token));
  }

  async member(of: string, user: string, role: "admin" | "view"): Promise<void> {
    const spec = { organizationRef: { name: of }, userRef: { name: user }, roles: [role] };
    const path = `${memberships(of)}/${user}`;
    await this.made(this.admin.apply(path, membership(user, spec)));
    await this.admin.until(path, isTrue("Ready"));
  }

  async made(answer: Promise<Answer>): Promise<Answer> {
    const given = await answer;
    expect([200, 201], given.text).toContain(given.code);
    return given;
  }

  /** The buckets of a consumer, wherever they are, as they become. */
  async shows(consumer: string, plane: string, wanted: Readonly<Record<string, Figures>>): Promise<void> {
    await eventually(async () => expect(await this.figures(consumer, plane)).toEqual(wanted));
  }

  async figures(consumer: string, plane: string): Promise<Readonly<Record<string, Figures>>> {
    const { code, text, body } = await this.admin.get(plane === "" ? buckets : inProject(plane, buckets));
    expect(code, text).toBe(200);
    const own: readonly Body[] = body.items.filter(({ spec }: Body) => spec.consumerRef.name === consumer);
    return Object.fromEntries(
      own.map(({ spec, status }) => [
        spec.resourceType,
        [status?.limit, status?.allocated, status?.reserved, status?.available] as unknown as Figures,
      ]),
    );
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  get #kubeconfig(): string {
    return join(this.#data, "kubeconfig");
  }
}

/** What everybody is told who asks for more than there is. */
export function expectRefused(answer: Answer, [resourceType, numbers]: readonly [string, string]): void {
  expect(answer.code, answer.text).toBe(403);
  const { reason, message, details } = answer.body;
  expect(reason).toBe("Forbidden");
  expect(settled(message)).toContain(`Insufficient quota resources available: ${numbers}.`);
  const [cause, ...others] = details.causes;
  expect(others).toEqual([]);
  expect({ ...cause, message: settled(cause.message) }).toEqual({
    reason: "QuotaExceeded",
    field: resourceType,
    message: numbers,
  });
}

/** What was promised a moment ago may not be written into its claim yet. */
function settled(message: string): string {
  const sum = (_: string, allocated: string, reserved: string): string =>
    `allocated ${Number(allocated) + Number(reserved)}, reserved 0`;
  return message.replace(/allocated (\d+), reserved (\d+)/, sum);
}
