import { Direct } from "../mesh/direct.js";
import { Studio } from "../room/studio.js";

/** The studio of the one room that this page may be in, whichever view is shown. */
export const studio = new Studio();

// In a mesh room it connects to the others' pages, whichever view is shown.
new Direct(studio);
