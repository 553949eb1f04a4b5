/** A person's own team as it begins: called after their address until renamed. */
export function ownTeam(email: string): { name: string; slug: string } {
  const [name = ""] = email.split("@");
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return { name, slug: slug || "team" };
}
