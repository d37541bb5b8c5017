import { type NameRule, subdomainLengthMax } from "@milo-quota/kubernetes/protocol/names.ts";

/** A name that goes into a path: whatever Kubernetes can store, and nothing that leads elsewhere. */
export const pathSegment: NameRule = (value) => {
  const issues = value.length > subdomainLengthMax ? [`must be no more than ${subdomainLengthMax} characters`] : [];
  if (value === "") return ["must not be empty"];
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return /[/%]/.test(value) ? [...issues, "may not contain '/' or '%'"] : issues;
};
