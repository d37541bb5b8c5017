import { cases, type Step } from "../case.ts";
import { asMetadataList, asTable, get, post, unseen } from "../steps.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const label = "labelSelector=case%3D{ns}";
const created = (name: string, more: object = {}): Step =>
  post(maps, { metadata: { name, labels: { case: "{ns}", ...more } } }, unseen);
const five = ["a", "b", "c", "d", "e"].map((name) => created(name, { odd: String("ace".includes(name)) }));
const short = "watch=true&timeoutSeconds=1";

export const listingCases = cases("listing", {
  "across namespaces": [created("a"), get(`/api/v1/configmaps?${label}`), get(`/api/v1/configmaps?${label}`, asTable)],
  "across namespaces by namespace": [
    created("a"),
    get(`/api/v1/configmaps?${label}&fieldSelector=metadata.namespace%3D{ns}`, asMetadataList),
    get(`/api/v1/configmaps?${label}&fieldSelector=metadata.namespace!%3D{ns}`, asMetadataList),
  ],
  "in pages by label": [
    ...five,
    get(`${maps}?limit=2&labelSelector=odd%3Dtrue`, { keep: { more: "metadata.continue" } }),
    get(`${maps}?limit=2&labelSelector=odd%3Dtrue&continue={more}`),
  ],
  "in pages as tables": [
    ...five,
    get(`${maps}?limit=3`, { ...asTable, keep: { more: "metadata.continue" } }),
    get(`${maps}?limit=3&continue={more}`, asTable),
  ],
  "in pages of metadata": [
    ...five,
    get(`${maps}?limit=4`, { ...asMetadataList, keep: { more: "metadata.continue" } }),
    get(`${maps}?continue={more}`, asMetadataList),
  ],
  "in pages with concurrent writes": [
    ...five,
    get(`${maps}?limit=2`, { unseen: true, keep: { more: "metadata.continue" } }),
    { method: "DELETE", path: `${maps}/c`, unseen: true },
    created("ca"),
    get(`${maps}?limit=5&continue={more}`, asMetadataList),
  ],
  "a page with a revision": [
    ...five,
    get(`${maps}?limit=2`, { unseen: true, keep: { more: "metadata.continue" } }),
    get(`${maps}?limit=2&continue={more}&resourceVersion=5`),
  ],
  "of one object by several selectors": [
    created("a"),
    get(`${maps}?fieldSelector=metadata.name%3Da,metadata.namespace%3D{ns}&${label}`, asMetadataList),
  ],
  "without a label": [
    ...five,
    get(`${maps}?labelSelector=!odd`, asMetadataList),
    get(`${maps}?labelSelector=odd%20notin%20(true)`, asMetadataList),
    get(`${maps}?labelSelector=odd,case%20in%20({ns},x)`, asMetadataList),
  ],
  "as YAML": [created("a"), get(maps, { accept: "application/yaml" })],
  "pretty-printed": [created("a"), get(`${maps}?pretty=true`)],
  "as tables without objects": [created("a"), get(`${maps}?includeObject=None`, asTable)],
  "watched across namespaces": [created("a"), get(`/api/v1/configmaps?${short}&${label}`)],
  "watched as a table without objects": [
    created("a"),
    created("b"),
    get(`${maps}?${short}&includeObject=None`, asTable),
  ],
  "watched as YAML": [created("a"), get(`${maps}?${short}`, { accept: "application/yaml" })],
  "watched with bookmarks": [created("a"), get(`${maps}?${short}&allowWatchBookmarks=true`)],
  "watched from revision 0": [created("a"), get(`${maps}?${short}&resourceVersion=0`)],
  "watched with initial events as metadata": [
    created("a"),
    get(`${maps}?${short}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, {
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    }),
  ],
  "watched with initial events as a table": [
    created("a"),
    get(`${maps}?${short}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, asTable),
  ],
  "watched without initial events": [
    created("a"),
    get(`${maps}?${short}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
  ],
  "watched with a limit": [created("a"), created("b"), get(`${maps}?${short}&limit=1`)],
  "watched with an invalid watch parameter": [get(`${maps}?watch=maybe&timeoutSeconds=1`), get(`${maps}?watch=false`)],
});
