/** What the only team's owner calls with, in a database of the harness's own. */
export const TOKEN = `kmb_${"5".repeat(64)}`;
