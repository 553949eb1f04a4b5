/** Formats 2000000 as 2,000,000. */
export const formatCount = (count: number): string =>
  String(count).replace(/\B(?=(\d{3})+$)/g, ",");
