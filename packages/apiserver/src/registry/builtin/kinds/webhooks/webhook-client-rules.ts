import { childPath, type FieldIssue, invalid, required } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dnsSubdomain } from "@milo-quota/kubernetes/protocol/names.ts";
import { issueUnless } from "../../field-checks.ts";

interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
}

const form = "; desired format: https://host[/path]";

/** A client config has either a URL or a service. */
export function clientConfigIssues({ url, service }: ClientConfig, path: string): readonly FieldIssue[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(path, "exactly one of url or service is required")];
  }
  if (url !== undefined) return urlIssues(url, childPath(path, "url"));
  return service === undefined ? [] : serviceIssues(service, childPath(path, "service"));
}

function urlIssues(url: string, path: string): readonly FieldIssue[] {
  const [, scheme = "", rest = url] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(url) ?? [];
  if (/[\s\p{Cc}]/u.test(url)) {
    return [
      required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid character in host name${form}`),
    ];
  }
  const [, authority = "", query, fragment] = /^(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  return [
    ...issueUnless(scheme.toLowerCase() === "https", () =>
      invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`),
    ),
    ...issueUnless(host !== "", () => invalid(path, host, `host must be specified${form}`)),
    ...issueUnless(at < 0, () => invalid(path, authority.slice(0, at), "user information is not permitted in the URL")),
    ...issueUnless(!fragment, () => invalid(path, fragment, "fragments are not permitted in the URL")),
    ...issueUnless(!query, () => invalid(path, query, "query parameters are not permitted in the URL")),
  ];
}

/** Name and namespace are reported under each other's field, as in Kubernetes. */
function serviceIssues(
  { namespace, name, path: urlPath, port = 443 }: ServiceReference,
  path: string,
): readonly FieldIssue[] {
  return [
    ...issueUnless(namespace !== "", () => required(childPath(path, "name"))),
    ...issueUnless(name !== "", () => required(childPath(path, "namespace"))),
    ...issueUnless(port >= 1 && port <= 65_535, () =>
      invalid(childPath(path, "port"), port, "port is not valid: must be between 1 and 65535, inclusive"),
    ),
    ...(urlPath === undefined ? [] : pathIssues(urlPath, childPath(path, "path"))),
  ];
}

function pathIssues(urlPath: string, path: string): readonly FieldIssue[] {
  if (urlPath === "/" || urlPath === "") return [];
  if (urlPath === "//") return [invalid(path, urlPath, "segment[0] may not be empty")];
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  return [
    ...issueUnless(urlPath.startsWith("/"), () => invalid(path, urlPath, "must start with a '/'")),
    ...steps.flatMap((step, index) =>
      step === ""
        ? [invalid(path, urlPath, `segment[${index}] may not be empty`)]
        : dnsSubdomain(step).map((fault) => invalid(path, urlPath, `segment[${index}]: ${fault}`)),
    ),
  ];
}
