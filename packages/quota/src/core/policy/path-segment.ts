import { type NameRule, subdomainLengthMax } from "@milo-quota/kubernetes/protocol/names.ts";

/** Accepts any name that Kubernetes can store, and rejects those that would change the path of a URL. */
export const pathSegment: NameRule = (value) => {
  const issues = value.length > subdomainLengthMax ? [`must be no more than ${subdomainLengthMax} characters`] : [];
  if (value === "") return ["must not be empty"];
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return /[/%]/.test(value) ? [...issues, "may not contain '/' or '%'"] : issues;
};
