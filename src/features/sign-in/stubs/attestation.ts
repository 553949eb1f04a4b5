/**
 * Stands in for the X.509 and ASN.1 libraries, by the aliases in wrangler.toml. Passkeys are taken without
 * attestation: all that is read in DER is the two numbers of an ECDSA signature.
 */
const unused = (name: string) =>
  class {
    constructor() {
      throw new Error(`${name} is not part of this build: attestation is not read.`);
    }
  };

/** An ECDSA signature: its two numbers. */
export class ECDSASigValue {
  r!: ArrayBuffer;
  s!: ArrayBuffer;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Reads SEQUENCE { INTEGER r, INTEGER s }. */
function parseSignature(bytes: Uint8Array<ArrayBuffer>): ECDSASigValue {
  const malformed = () => new Error("The signature is not two numbers in DER.");
  /** Where the content of the element at `at` begins and ends. */
  const contentOf = (at: number, tag: number): [start: number, end: number] => {
    const length = bytes[at + 1] ?? 0;
    const isLong = length === 0x81;
    if (bytes[at] !== tag || (length > 0x7f && !isLong)) throw malformed();
    const start = at + (isLong ? 3 : 2);
    const end = start + (isLong ? (bytes[at + 2] ?? 0) : length);
    if (end > bytes.length) throw malformed();
    return [start, end];
  };
  const [start, end] = contentOf(0, SEQUENCE);
  const [rStart, rEnd] = contentOf(start, INTEGER);
  const [sStart, sEnd] = contentOf(rEnd, INTEGER);
  if (sEnd !== end || end !== bytes.length) throw malformed();
  return { r: bytes.slice(rStart, rEnd).buffer, s: bytes.slice(sStart, sEnd).buffer };
}

export const AsnParser = {
  parse(data: Uint8Array<ArrayBuffer> | ArrayBuffer, type: unknown): ECDSASigValue {
    if (type !== ECDSASigValue) throw new Error("Attestation is not read in this build.");
    return parseSignature(data instanceof Uint8Array ? data : new Uint8Array(data));
  },
};

export const X509Certificate = unused("X509Certificate");
export const X509ChainBuilder = unused("X509ChainBuilder");
export const X509Crl = unused("X509Crl");
export const Certificate = unused("Certificate");
export const ExtendedKeyUsage = unused("ExtendedKeyUsage");
export const SubjectAlternativeName = unused("SubjectAlternativeName");
export const BasicConstraints = unused("BasicConstraints");
export const ECParameters = unused("ECParameters");
export const RSAPublicKey = unused("RSAPublicKey");
export const KeyDescription = unused("KeyDescription");
export const OctetString = unused("OctetString");
export const AuthorityKeyIdentifierExtension = unused("AuthorityKeyIdentifierExtension");
export const CRLDistributionPointsExtension = unused("CRLDistributionPointsExtension");
export const SubjectKeyIdentifierExtension = unused("SubjectKeyIdentifierExtension");

export const id_ce_extKeyUsage = "";
export const id_ce_subjectAltName = "";
export const id_ce_basicConstraints = "";
export const id_ecPublicKey = "";
export const id_secp256r1 = "";
export const id_secp384r1 = "";
export const id_rsaEncryption = "";
export const id_ce_keyDescription = "";
