import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { Parser } from "@milo-quota/kubernetes/client/resources/read-reply.ts";
import type { ListOptions } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import { planeNotFound, type ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { issueText } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  type AllowanceBucket,
  allowanceBucketDefinition,
  parseAllowanceBucket,
} from "../../core/resources/allowance-bucket.ts";
import {
  type ClaimCreationPolicy,
  claimCreationPolicyDefinition,
  parseClaimCreationPolicy,
} from "../../core/resources/claim-creation-policy.ts";
import {
  type GrantCreationPolicy,
  grantCreationPolicyDefinition,
  parseGrantCreationPolicy,
} from "../../core/resources/grant-creation-policy.ts";
import {
  parseResourceClaim,
  type ResourceClaim,
  resourceClaimDefinition,
} from "../../core/resources/resource-claim.ts";
import {
  parseResourceGrant,
  type ResourceGrant,
  resourceGrantDefinition,
} from "../../core/resources/resource-grant.ts";
import {
  parseResourceRegistration,
  type ResourceRegistration,
  resourceRegistrationDefinition,
} from "../../core/resources/resource-registration.ts";
import type { CliContext } from "../cli-context.ts";
import { CommandError } from "../command-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { notInstalled, planeName } from "./cluster.ts";
import { listAll } from "./list-all.ts";
import { organizationOfPlane } from "./tenant-addresses.ts";

/** Lists the objects of the quota API in one control plane. An object that cannot be parsed is reported and skipped. */
export class QuotaObjects {
  readonly client: KubeClient;
  readonly #printErr: CliContext["printErr"];
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, printErr: CliContext["printErr"], signal: AbortSignal) {
    this.client = client;
    this.#printErr = printErr;
    this.#signal = signal;
  }

  registrations(): Promise<readonly ResourceRegistration[]> {
    return this.#list(resourceRegistrationDefinition, parseResourceRegistration, {});
  }

  grants(options: ListOptions = {}): Promise<readonly ResourceGrant[]> {
    return this.#list(resourceGrantDefinition, parseResourceGrant, options);
  }

  claims(options: ListOptions = {}): Promise<readonly ResourceClaim[]> {
    return this.#list(resourceClaimDefinition, parseResourceClaim, options);
  }

  buckets(options: ListOptions = {}): Promise<readonly AllowanceBucket[]> {
    return this.#list(allowanceBucketDefinition, parseAllowanceBucket, options);
  }

  claimPolicies(): Promise<readonly ClaimCreationPolicy[]> {
    return this.#list(claimCreationPolicyDefinition, parseClaimCreationPolicy, {});
  }

  grantPolicies(): Promise<readonly GrantCreationPolicy[]> {
    return this.#list(grantCreationPolicyDefinition, parseGrantCreationPolicy, {});
  }

  async #list<Kind>(
    type: ResourceType & { readonly kind: string },
    parse: Parser<Kind>,
    options: ListOptions,
  ): Promise<readonly Kind[]> {
    try {
      const objects = await listAll(this.client.resource(type, anyObject), options, this.#signal);
      return objects.flatMap((object) => this.#parse(type.kind, parse, object));
    } catch (error) {
      throw this.#toCommandError(error, type.plural);
    }
  }

  #parse<Kind>(kind: string, parse: Parser<Kind>, object: JsonObject): readonly Kind[] {
    const parsed = parse(object);
    if (parsed.ok) return [parsed.value];
    const { metadata } = object as { metadata?: { name?: string } };
    this.#printErr(
      `Skipped ${kind} ${metadata?.name ?? ""}, which is invalid: ${parsed.issues.map(issueText).join("; ")}`,
    );
    return [];
  }

  #toCommandError(error: unknown, plural: string): unknown {
    if (!(error instanceof StatusError) || error.status.code !== 404) return error;
    if (error.status.details?.causes?.some(({ reason }) => reason === planeNotFound)) {
      const organization = organizationOfPlane(this.client.plane);
      const tenant = organization === undefined ? planeName(this.client) : `organization ${organization}`;
      return new CommandError(`control plane of ${tenant} not found`, exitCodes.notFound);
    }
    return notInstalled(plural);
  }
}
