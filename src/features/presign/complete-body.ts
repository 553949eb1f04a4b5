export interface PutPart {
  partNumber: number;
  /** Without quotes. */
  etag: string;
}

const HEAD =
  /\s*(?:<\?xml[^<>]{0,200}\?>)?\s*<CompleteMultipartUpload(?:\s+xmlns="[^"<>]{0,200}")?\s*>/y;
const END = /\s*<\/CompleteMultipartUpload>\s*$/y;
const ETAG = /\s*<ETag>\s*(?:"|&quot;|&#34;)?([\w.+/=-]{1,1024})(?:"|&quot;|&#34;)?\s*<\/ETag>/y;
const NUMBER = /\s*<PartNumber>\s*([1-9]\d{0,4})\s*<\/PartNumber>/y;
const PART = /\s*<Part>/y;
const PART_END = /\s*<\/Part>/y;
/** Some clients send checksums too. */
const CHECKSUM = /\s*<Checksum(\w{1,12})>[\w+/=-]{0,200}<\/Checksum\1>/y;

/**
 * Null for other XML.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
 */
export function readCompleteBody(xml: string): PutPart[] | null {
  let at = 0;
  const take = (pattern: RegExp): string[] | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(xml);
    if (match) at = pattern.lastIndex;
    return match;
  };
  if (!take(HEAD)) return null;
  const parts: PutPart[] = [];
  while (take(PART)) {
    let [etag, partNumber] = ["", 0];
    while (!take(PART_END)) {
      const [, tag] = take(ETAG) ?? [];
      const [, digits] = tag === undefined ? (take(NUMBER) ?? []) : [];
      if (tag !== undefined && etag === "") etag = tag;
      else if (digits !== undefined && partNumber === 0) partNumber = Number(digits);
      else if (!take(CHECKSUM)) return null;
    }
    if (etag === "" || partNumber === 0) return null;
    parts.push({ partNumber, etag });
  }
  return take(END) ? parts : null;
}

export function partsRefusal(parts: readonly PutPart[], count: number): string | null {
  const inOrder = parts.every(
    ({ partNumber }, i) => i === 0 || partNumber > (parts[i - 1]?.partNumber ?? 0),
  );
  if (!inOrder) return "The parts must be in ascending order, each once.";
  if (parts.length === count && parts.at(-1)?.partNumber === count) return null;
  return `The list must name all parts, from 1 to ${count}.`;
}
