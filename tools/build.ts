// `npm run build`: builds the files of the published package.
import { bundle } from "./bundle.ts";

await bundle("dist/milo-quota.js");
