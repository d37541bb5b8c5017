import { organizationNamespace, tenantGroup } from "../../core/resources/object-tenant.ts";
import { tenantVersion } from "../../views/tenant-planes.ts";

/** Names that other programs rely on. */

export const resourceManagerGroup = tenantGroup;
export const iamGroup = "iam.miloapis.com";
export const tenancyVersion = tenantVersion;

/** Keeps an organization or a project until everything that was made for it is gone. */
export const tenancyFinalizer = "resourcemanager.miloapis.com/tenancy";

export const organizationLabel = "resourcemanager.miloapis.com/organization-name";

/** Which project a control plane was made for: another one of the same name gets it empty. */
export const projectUidAnnotation = "resourcemanager.miloapis.com/project-uid";

/** Of a namespace, less what is in front of the name of an organization. */
export const organizationNameLengthMax = 63 - organizationNamespace("").length;
