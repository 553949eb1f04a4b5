/** Token of the only team's owner, in a database of the harness's own. */
export const TOKEN = `kmb_${"5".repeat(64)}`;
