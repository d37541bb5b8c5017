import { organizationNamespace, tenantGroup } from "../../core/resources/object-tenant.ts";
import { tenantVersion } from "../../views/tenant-planes.ts";

/** Names that are part of the API. */

export const resourceManagerGroup = tenantGroup;
export const iamGroup = "iam.miloapis.com";
export const tenancyVersion = tenantVersion;

/** Keeps an organization or a project until its namespace or control plane is deleted. */
export const tenancyFinalizer = "resourcemanager.miloapis.com/tenancy";

export const organizationLabel = "resourcemanager.miloapis.com/organization-name";

/** UID of the project that the contents of a control plane belong to. A later project of the same name starts empty. */
export const projectUidAnnotation = "resourcemanager.miloapis.com/project-uid";

/** The maximum length of a namespace name, less the prefix of organization namespaces. */
export const organizationNameLengthMax = 63 - organizationNamespace("").length;
