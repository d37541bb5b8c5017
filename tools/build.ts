// `npm run build`: what a package carries.
import { bundle } from "./bundle.ts";

await bundle("dist/milo-quota.js");
