interface BrandProps {
  name: string | null;
  link: string | null;
  color?: string | null;
  logo: string | null;
}

/** Decorative: no information depends on the colour, and no text stands on it. */
export const BrandStripe = ({ color = null }: Pick<BrandProps, "color">) =>
  color && (
    <svg class="stripe" aria-hidden="true">
      <rect width="100%" height="100%" fill={color} />
    </svg>
  );

export const Brand = ({ name, link, color, logo }: BrandProps) => (
  <>
    <BrandStripe color={color} />
    <BrandLine name={name} link={link} logo={logo} />
  </>
);

const BrandLine = ({ name, link, logo }: Omit<BrandProps, "color">) => {
  if (!name && !logo) return null;
  const content = (
    <>
      {logo && <img class="logo" src={logo} alt={name ? "" : "Logo"} />}
      {name && <bdi>{name}</bdi>}
    </>
  );
  return (
    <p class="brandline">
      {link ? (
        <a class="brandline" href={link} target="_blank" rel="noopener noreferrer">
          {content}
        </a>
      ) : (
        content
      )}
    </p>
  );
};

export const STRIPE_STYLES = `
.stripe { display: block; width: 100%; height: .5rem; border-radius: .25rem; }
`;

export const BRAND_STYLES = `${STRIPE_STYLES}
.brandline { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; min-height: 3.5rem; font-weight: 600; overflow-wrap: anywhere; }
.logo { display: block; width: 8rem; height: 3.5rem; object-fit: contain; padding: .35rem; border-radius: .6rem; background: #fff; border: 1px solid var(--line); }
`;
