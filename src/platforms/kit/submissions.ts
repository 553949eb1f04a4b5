import type { Scene } from "../setup-steps.ts";

/** What every instance's app does, to paste into a review's form. */
export const purposeOf = (name: string, what: string): string =>
  `This app is the social media publishing service that we run on our own server. Members of a team sign in, connect their own ${name} account on ${name}'s consent page, and write or schedule posts for it. ${what} Each post is published only because a member of the team sent it. The service stores the account's name and picture, its login (encrypted) and the posts. Disconnecting the account deletes its login and figures. It shows no advertisements, and passes no data on to others.`;

/** For reviews that ask how a person writes a post. */
export const NO_EDITOR =
  "In this version of Akimbo, a post is written on the page of the API reference, and there is no page of its own for it.";

interface Recording {
  name: string;
  /** On the page of accounts. Default: `Connect <name>`. */
  button?: string;
  /** What the person does on the consent page. */
  consent: string;
  /** What the account's page shows in addition. */
  account?: string;
  /** What is sent, such as a video with its title. */
  post: string;
  /** What the post's page shows. Default: its address. */
  uploaded?: string;
  /** Where and how the platform shows the result. */
  result: string;
  /** False for an app that reads no figures. */
  hasFigures?: boolean;
  /** What the figures need at the platform. */
  figuresNeed?: string;
  /** Shown before the account is disconnected. */
  also?: readonly Scene[];
  /** The platform wants its own page as the end. */
  endsWithResult?: true;
}

/** From the sign-in to the end of a connection, through pages that every instance has. */
export function recordingOf(recording: Recording): Scene[] {
  const { name, button = `Connect ${name}`, consent, account, post, result } = recording;
  const { uploaded = `its address at ${name}.`, endsWithResult } = recording;
  const scenes = [
    {
      page: "/sign-in",
      show: "Show the whole address bar. Sign in with your e-mail address, for which this instance has to send mail (EMAIL_FROM), or with a passkey.",
    },
    { page: "/privacy", show: "Show the privacy policy." },
    {
      page: "/app/accounts",
      show: `Show that no ${name} account is connected. Press "${button}".`,
    },
    { page: null, show: consent },
    {
      page: "/app/accounts",
      show: `The account is listed with its name. Open it: its page says when it was connected, and has its id.${account ? ` ${account}` : ""}`,
    },
    {
      page: "/docs",
      show: `Open "Publish one post to one account" and press "Test Request". Enter a token of yours, the account's id, and ${post}. Send it.`,
    },
    {
      page: "/app/uploads",
      show: `Open the post. Its page shows its text and files, its state, and ${uploaded}`,
    },
    { page: null, show: result },
  ];
  return endsWithResult ? scenes : [...scenes, ...endOf(recording)];
}

const endOf = ({ hasFigures = true, figuresNeed, also = [] }: Recording): Scene[] => [
  ...(hasFigures
    ? [
        {
          page: "/docs",
          show: `Open "Collect the figures of an account's posts now", enter the account's id, and send it: Akimbo collects them by itself only at night.${figuresNeed ? ` ${figuresNeed}` : ""}`,
        },
        {
          page: "/docs",
          show: "Open \"Read the figures of an account's posts\", enter the account's id, and send it: the answer shows the figures of each post.",
        },
      ]
    : []),
  ...also,
  {
    page: "/app/accounts",
    show: 'Open the account and press "Disconnect…". Confirm it: the login is deleted here, and the list is empty again.',
  },
];
