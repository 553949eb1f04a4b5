import { HotLinks, keyOf } from "./hot-links.ts";
import type { Place } from "./repo/places.ts";
import type { Target } from "./target.ts";

/** Hot links of this isolate: the door of redirects and that of the API share them. */
export const hotLinks = new HotLinks<Target | null>();

/** A link was changed: the next visit reads it. */
export const forgetPlace = (place: Place): void => hotLinks.forget(keyOf(place));

/** Many links were changed. */
export const forgetPlaces = (): void => hotLinks.forgetAll();
