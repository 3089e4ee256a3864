import { Studio } from "../room/studio.js";

/** The studio of the one room that this page may be in, whichever view is shown. */
export const studio = new Studio();
