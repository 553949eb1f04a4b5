import { startDrops } from "./pools/drops.ts";
import { startQueue } from "./pools/queue.ts";

startQueue();
startDrops();
