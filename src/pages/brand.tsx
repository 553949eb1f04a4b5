interface BrandProps {
  name: string | null;
  link: string | null;
  logo: string | null;
}

export const Brand = ({ name, link, logo }: BrandProps) => {
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

export const BRAND_STYLES = `
.brandline { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; min-height: 3.5rem; font-weight: 600; overflow-wrap: anywhere; }
.logo { display: block; width: 8rem; height: 3.5rem; object-fit: contain; padding: .35rem; border-radius: .6rem; background: #fff; border: 1px solid var(--line); }
`;
