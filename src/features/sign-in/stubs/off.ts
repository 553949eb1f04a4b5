/**
 * Stands in, by the aliases in wrangler.toml, for the libraries that better-auth brings along for passwords,
 * sign-in through other sites, JWTs and telemetry: none of that is used here.
 */
const unused = (name: string) => () => {
  throw new Error(`${name} is not part of this build.`);
};

export const decodeJwt = unused("decodeJwt");
export const importJWK = unused("importJWK");
export const importPKCS8 = unused("importPKCS8");
export const jwtVerify = unused("jwtVerify");
export const jwtDecrypt = unused("jwtDecrypt");
export const decodeProtectedHeader = unused("decodeProtectedHeader");
export const createRemoteJWKSet = unused("createRemoteJWKSet");
export const createLocalJWKSet = unused("createLocalJWKSet");
export const calculateJwkThumbprint = unused("calculateJwkThumbprint");
export class SignJWT {}
export class EncryptJWT {}
export class UnsecuredJWT {}
export const errors = {};
export const base64url = {};

export const xchacha20poly1305 = unused("xchacha20poly1305");
export const managedNonce = () => unused("managedNonce");
export const bytesToHex = unused("bytesToHex");
export const hexToBytes = unused("hexToBytes");
export const sha256 = unused("sha256");
export const hkdf = unused("hkdf");
export const keccak_256 = unused("keccak_256");
export const utf8ToBytes = (text: string) => new TextEncoder().encode(text);

export const hashPassword = unused("hashPassword");
export const verifyPassword = unused("verifyPassword");
export const betterFetch = unused("betterFetch");
export const createFetch = unused("createFetch");
export const createTelemetry = async () => ({ publish: async () => {} });
