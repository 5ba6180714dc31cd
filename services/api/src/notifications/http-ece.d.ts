/** Declares the part that aish uses, because the package has no types. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  const ece: {
    /** Encrypts as in RFC 8188 and, with these keys, RFC 8291. `dh` and `authSecret` are in base64url. */
    encrypt(text: Buffer, keys: { version: 'aes128gcm'; privateKey: ECDH; dh: string; authSecret: string }): Buffer;
  };
  export default ece;
}
