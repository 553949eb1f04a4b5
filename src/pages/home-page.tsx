export interface Places {
  api: string;
  docs: string;
  openapi: string;
  health: string;
  /** Null while the sandbox is off. */
  sandbox: string | null;
}

export const HOME_STYLES = `
.status { display: flex; flex-wrap: wrap; gap: .8rem; align-items: center; }
.sign-in { font-weight: 600; padding: .4rem 1rem; border-radius: .55rem; background: var(--accent); color: var(--accent-ink); text-decoration: none; }
.running {
  display: inline-flex; align-items: center; gap: .5rem; font-size: .9rem; font-weight: 600;
  padding: .2rem .8rem; border-radius: 99rem; background: var(--accent-soft); color: var(--accent);
}
.running::before {
  content: ""; width: .55rem; height: .55rem; border-radius: 50%; background: currentColor;
}
.places { display: grid; gap: .9rem; list-style: none; margin-bottom: 0; padding: 0; }
@media (min-width: 40rem) { .places { grid-template-columns: 1fr 1fr; } }
.places .card { min-width: 0; height: 100%; }
.places h2 { font-size: 1.05rem; }
.places p { color: var(--muted); font-size: .94rem; margin-top: .3rem; }
.call h2 { font-size: 1.2rem; }
.call > * + * { margin-top: .7rem; }
`;

interface HomeProps {
  places: Places;
  isSandboxPublic: boolean;
}

const toPlaces = ({ places, isSandboxPublic }: HomeProps) => [
  {
    href: `${places.docs}/guides`,
    name: "Guides",
    about: "Each task step by step, from the first call to its result.",
  },
  {
    href: places.docs,
    name: "API reference",
    about: "Every operation, with its fields and answers.",
  },
  {
    href: places.openapi,
    name: "OpenAPI document",
    about: "The same for programs; generate a client from it.",
  },
  ...(places.sandbox
    ? [
        {
          href: places.sandbox,
          name: "Sandbox feed",
          about: isSandboxPublic
            ? "Posts that were published to the simulated platforms."
            : "Posts that were published to the simulated platforms. It asks you to sign in, or for an API token.",
        },
      ]
    : []),
  {
    href: places.health,
    name: "Health",
    about: "Shows if everything works; needs no token.",
  },
];

export const HomePage = (props: HomeProps) => (
  <>
    <header>
      <h1>Akimbo</h1>
      <p class="lead">
        A social publishing API that its owner runs: one call publishes a video, photos or a text to
        the connected accounts, now or at a planned second. Behind the sign-in you write posts, plan
        them in a calendar and let clients approve them.
      </p>
    </header>
    <div class="status">
      <p class="running">This instance is running</p>
      <a class="sign-in" href="/sign-in">
        Sign in
      </a>
    </div>
    <ul class="places">
      {toPlaces(props).map(({ href, name, about }) => (
        <li>
          <div class="card">
            <h2>
              <a href={href}>{name}</a>
            </h2>
            <p>{about}</p>
          </div>
        </li>
      ))}
    </ul>
    <section class="card call">
      <h2>Calls</h2>
      <p>
        They go to this address, with an API token in the header <code>x-api-key</code>:
      </p>
      <pre>{props.places.api}</pre>
    </section>
  </>
);
