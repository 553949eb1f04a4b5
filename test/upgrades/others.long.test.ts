import { EARLIER } from "./earlier.ts";
import { describeUpgrades } from "./upgrade.ts";

describeUpgrades(EARLIER.slice(1));
