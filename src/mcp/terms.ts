/** Terms of the REST API and the tools' terms for the same things. */
const TERMS: readonly [RegExp, string][] = [
  [/\bUpload(?= not found| \d)/g, "Post"],
  [/\buploadIds\b/g, "postIds"],
  [/\buploadId\b/g, "postId"],
  [/\bschedule_date\b/g, "scheduleDate"],
  [/\balt_text\b/g, "altTexts"],
  [/\bGET \/accounts\b/g, "list_accounts"],
  [/\bGET \/platforms\/capabilities\b/g, "get_platform_capabilities"],
  [/\bone that POST \/upload\/presign gave out\b/g, "one of a presigned upload"],
  [/\bPOST \/upload\/\{id\}\/unpublish\b/g, "unpublish_post"],
  [/\bthread_marks\b/g, "threadMarks"],
  [/\bfirst_comment\b/g, "firstComment"],
  [/ with POST \/upload\/\{id\}\/approve or on its page\b/g, " on its page"],
];

export const inToolTerms = (message: string): string =>
  TERMS.reduce((text, [word, term]) => text.replace(word, term), message);
