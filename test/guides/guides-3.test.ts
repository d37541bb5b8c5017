import { guideSuite } from "./guide-suite.ts";

guideSuite(3);
