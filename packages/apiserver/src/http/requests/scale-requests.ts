import type { ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { resourceNotFound, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { decodeObject } from "../../registry/decode-object.ts";
import { dryRunResult } from "../../registry/dry-run-result.ts";
import { servedObject } from "../../registry/kinds/served-version.ts";
import { resourceOf } from "../../registry/object-request.ts";
import { nextByPatch } from "../../registry/patch-state.ts";
import type { Registry } from "../../registry/registry.ts";
import { scaleKind } from "../../registry/scale/scale-kind.ts";
import { nextByScale, scaleOf } from "../../registry/scale/scale-state.ts";
import { storedInView } from "../../registry/scoped-view.ts";
import { type NextState, requireName, updateObject } from "../../registry/update.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { objectText } from "../responses/representation.ts";
import { methodNotAllowed, textResponse } from "../responses/responses.ts";
import type { ViewOptions } from "../responses/view-options.ts";
import { bodyText, contentType, objectBody, unsupportedMediaType } from "./body.ts";
import { type ResourceCall, readRequest, viewOptionsOf, writeRequest } from "./resource-call.ts";
import { parseWriteOptions, type WriteOptions } from "./write-options.ts";
import { patchTypes } from "./write-requests.ts";

export async function handleScale(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  switch (call.verb) {
    case "get":
      return getScale(registry, call);
    case "update":
      return updateScale(registry, call);
    case "patch":
      return patchScale(registry, call);
    default:
      throw methodNotAllowed();
  }
}

function getScale(registry: Registry, call: ResourceCall): ApiResponse {
  const viewOptions = scaleViewOptions(registry, call);
  const request = readRequest(call);
  const stored = storedInView(registry, request, call.path.name);
  if (stored === undefined) throw new StatusError(resourceNotFound(resourceOf(request), call.path.name));
  return shown(call, stored, viewOptions);
}

async function updateScale(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const { request } = call.context;
  const options = parseWriteOptions(request, "UpdateOptions");
  const { value, duplicates } = await objectBody(request, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    isCustom: false,
  });
  const write = { ...writeRequest(call, options), kind: scaleKind };
  const scale = requireName(decodeObject(value, write, duplicates), call.path.name);
  return scaled(registry, call, options, () => scale);
}

async function patchScale(registry: Registry, call: ResourceCall): Promise<ApiResponse> {
  const { request } = call.context;
  const type = patchTypes.get(contentType(request));
  // Managed fields of a Scale would have to be mapped to those of its object: apply is not supported yet.
  const accepted = [...patchTypes].filter(([, known]) => known !== "apply").map(([name]) => name);
  if (type === undefined || type === "apply") throw unsupportedMediaType(accepted);
  const options = parseWriteOptions(request, "PatchOptions");
  const write = { ...writeRequest(call, options), kind: scaleKind };
  const patch = { type, text: await bodyText(request), force: false, name: call.path.name };
  return scaled(registry, call, options, nextByPatch(patch, write, registry.clock));
}

async function scaled(
  registry: Registry,
  call: ResourceCall,
  options: WriteOptions,
  change: NextState,
): Promise<ApiResponse> {
  const viewOptions = scaleViewOptions(registry, call);
  const write = writeRequest(call, options);
  const next = nextByScale(change, write, call.path.name, registry.clock);
  const { stored } = await updateObject(registry, write, call.path.name, next);
  return shown(call, stored, viewOptions);
}

function scaleViewOptions({ clock }: Registry, call: ResourceCall): ViewOptions {
  return viewOptionsOf({ ...call, kind: scaleKind }, clock.now());
}

function shown(call: ResourceCall, stored: StoredObject, viewOptions: ViewOptions): ApiResponse {
  const scale = scaleOf(servedObject(stored, call.kind), call.kind);
  return textResponse(200, objectText(dryRunResult(stored.key, scale), viewOptions), viewOptions.accepted);
}
