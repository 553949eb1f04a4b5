/** Words of the REST API, and those of the tools for the same things. */
const TERMS: readonly [RegExp, string][] = [
  [/\bUpload(?= not found| \d)/g, "Post"],
  [/\buploadIds\b/g, "postIds"],
  [/\buploadId\b/g, "postId"],
  [/\bschedule_date\b/g, "scheduleDate"],
];

/** Says a refusal, written for callers of the REST API, in the words that an agent knows. */
export const inToolTerms = (message: string): string =>
  TERMS.reduce((text, [word, term]) => text.replace(word, term), message);
