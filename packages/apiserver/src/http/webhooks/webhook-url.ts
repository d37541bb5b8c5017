import type { ServiceReference, WebhookAddress } from "./webhook.ts";
import { CallFailed } from "./webhook-caller.ts";

/** The URL of a webhook. Throws CallFailed for an invalid one. */
export function urlOf(address: WebhookAddress, timeoutSeconds: number): URL {
  if (address.kind === "nowhere") throw new CallFailed("webhook configuration must have either service or URL");
  const url = parsedUrl(address.kind === "url" ? address.url : serviceUrl(address.service));
  if (url.protocol !== "https:") throw new CallFailed(`'https' is the only allowed URL scheme, got ${url.protocol}`);
  url.searchParams.set("timeout", `${timeoutSeconds}s`);
  return url;
}

function serviceUrl({ name, namespace, port, path }: ServiceReference): string {
  return `https://${name}.${namespace}.svc:${port}${path === "" || path.startsWith("/") ? path : `/${path}`}`;
}

/** Messages include the port of a service even where a URL would omit it. */
export function displayUrl(address: WebhookAddress, url: URL): string {
  if (address.kind !== "service") return url.href;
  return `https://${url.hostname}:${address.service.port}${url.pathname}${url.search}`;
}

function parsedUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new CallFailed(`Unparsable URL: ${text}`);
  }
}
