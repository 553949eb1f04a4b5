/** @see https://cv.iptc.org/newscodes/digitalsourcetype/ */
const MADE_BY_AI = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia";

/** Header of an APP1 segment with XMP. Source: XMP Specification Part 3, "JPEG". */
const XMP_NAMESPACE = "http://ns.adobe.com/xap/1.0/\0";

const PACKET = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" \
Iptc4xmpExt:DigitalSourceType="${MADE_BY_AI}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const START_OF_IMAGE = 2;
const APP1 = 0xe1;
/** A segment's length includes its own two bytes, but not the marker. */
const LENGTH_BYTES = 2;

/** Adds an XMP packet, from which social networks read their AI label. */
export function labelAsMadeByAi(jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const content = new TextEncoder().encode(XMP_NAMESPACE + PACKET);
  const length = content.length + LENGTH_BYTES;
  const head = new Uint8Array([0xff, APP1, length >> 8, length & 0xff]);
  const labelled = new Uint8Array(jpeg.length + head.length + content.length);
  labelled.set(jpeg.subarray(0, START_OF_IMAGE));
  labelled.set(head, START_OF_IMAGE);
  labelled.set(content, START_OF_IMAGE + head.length);
  labelled.set(jpeg.subarray(START_OF_IMAGE), START_OF_IMAGE + head.length + content.length);
  return labelled;
}
