import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { buildServer, type ServerProgram } from "../apiserver/killable-server.ts";
import type { Body } from "../apiserver/test-server.ts";
import { inProject, membership, memberships, person, quota, usersPath } from "../tenancy/tenant-world.ts";
import { ApiClient, type ApiResponse, eventually } from "./api-client.ts";
import { type ExitResult, RunningProgram } from "./running-program.ts";

/** Limit, allocated, reserved and available of a bucket. */
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

/** A server process that can be restarted on one data folder. */
export class ProgramWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), "milo-quota-story-"));
  readonly #program: ServerProgram;
  /** Errors that the log may contain. */
  readonly #expected: RegExp;
  readonly #clients: ApiClient[] = [];
  readonly #tokens = new Map<string, string>();
  #running: RunningProgram | undefined;

  private constructor(program: ServerProgram, expected: RegExp) {
    this.#program = program;
    this.#expected = expected;
  }

  static async build(expected: RegExp = /$^/): Promise<ProgramWorld> {
    return new ProgramWorld(await buildServer("packages/quota/src/main.ts"), expected);
  }

  async start(flags: readonly string[] = []): Promise<void> {
    this.#running = RunningProgram.ofBundle(this.#program, ["up", "--port", "0", "--data-dir", this.#data, ...flags]);
    await this.#running.welcome();
    this.#clients.push(ApiClient.byKubeconfig(this.#kubeconfig));
    for (const token of this.#tokens.values()) this.#clients.push(await this.admin.as(token));
  }

  /** Stops the server gracefully. */
  async stop(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    const ending = await this.#running?.end("SIGTERM");
    expect(ending?.code, ending?.stderr).toBe(0);
    expect(errorsIn(ending?.stderr ?? "").filter((message) => !this.#expected.test(message))).toEqual([]);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
    await this.#running?.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
    this.#program.remove();
  }

  get admin(): ApiClient {
    return this.#clients[0] as ApiClient;
  }

  /** Client of a user. */
  as(user: string): ApiClient {
    return this.#clients[1 + [...this.#tokens.keys()].indexOf(user)] as ApiClient;
  }

  /** Runs a command of milo-quota on this server. */
  async command(...words: readonly string[]): Promise<ExitResult> {
    return RunningProgram.ofBundle(this.#program, [...words, "--kubeconfig", this.#kubeconfig]).ending;
  }

  /** Creates a user with a token of the command line. */
  async user(name: string): Promise<void> {
    await this.expectSuccess(this.admin.apply(`${usersPath}/${name}`, person(name)));
    if (this.#tokens.has(name)) return;
    const { code, stdout, stderr } = await this.command("token", "create", "--user", name);
    expect(code, stderr).toBe(0);
    const token = stdout.trim();
    this.#tokens.set(name, token);
    this.#clients.push(await this.admin.as(token));
  }

  async member(of: string, user: string, role: "admin" | "view"): Promise<void> {
    const spec = { organizationRef: { name: of }, userRef: { name: user }, roles: [role] };
    const path = `${memberships(of)}/${user}`;
    await this.expectSuccess(this.admin.apply(path, membership(user, spec)));
    await this.admin.until(path, isTrue("Ready"));
  }

  async expectSuccess(answer: Promise<ApiResponse>): Promise<ApiResponse> {
    const response = await answer;
    expect([200, 201], response.text).toContain(response.code);
    return response;
  }

  /** Waits until the buckets of a consumer have these figures. */
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

/** Expects a rejection by quota with these numbers. */
export function expectQuotaRejection(answer: ApiResponse, [resourceType, numbers]: readonly [string, string]): void {
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

/** Adds reserved to allocated amounts: a recent reservation may not be counted yet. */
function settled(message: string): string {
  const sum = (_: string, allocated: string, reserved: string): string =>
    `allocated ${Number(allocated) + Number(reserved)}, reserved 0`;
  return message.replace(/allocated (\d+), reserved (\d+)/, sum);
}
