/** The kinds of notice that a person may get, and the ways on which they come. Spec is silent on the kinds. */
export const NOTICES = ["reviewDecisions", "failures", "endingLogins"] as const;
/** Source: spec, "Review", 5. */
export const CHANNELS = ["email", "push", "messaging"] as const;

type Channels<T> = Partial<Record<(typeof CHANNELS)[number], T>>;
type Notices<T> = Partial<Record<(typeof NOTICES)[number], T>>;

/** The channels that a person has switched on or off; one that is not named is on. */
export type Notifications = Notices<Channels<boolean>>;

/** Every channel of every kind of notice. */
export type AllNotifications = Record<
  (typeof NOTICES)[number],
  Record<(typeof CHANNELS)[number], boolean>
>;

/** A channel reaches only those who have set it up, so that none needs to be switched on first. */
export const allNotifications = (chosen: Notifications | null): AllNotifications =>
  Object.fromEntries(
    NOTICES.map((notice) => [
      notice,
      Object.fromEntries(CHANNELS.map((channel) => [channel, chosen?.[notice]?.[channel] ?? true])),
    ]),
  ) as AllNotifications;
