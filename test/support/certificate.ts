/**
 * An authority and certificates of it that end at any second: `consul tls` counts in days, and makes none that has ended. Written
 * as DER by hand (RFC 5280), for Node makes none at all.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface Authority {
  readonly pem: string;
  /** For a server on 127.0.0.1, from now on until then (epoch milliseconds). */
  issue(untilMs: number): Certificate;
}

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Buffer[]) => tlv(0x30, ...parts);
const bits = (of: Buffer) => tlv(0x03, Buffer.from([0]), of);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const yes = tlv(0x01, Buffer.from([0xff]));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const nameOf = (text: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(text)))));
const timeOf = (ms: number) =>
  tlv(0x18, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
/** `subjectAltName`: 127.0.0.1. */
const loopback = sequence(oid('551d11'), tlv(0x04, sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])))));
/** `basicConstraints`: an authority. */
const isAuthority = sequence(oid('551d13'), yes, tlv(0x04, sequence(yes)));

const pemOf = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** A day: whose clock is a little behind accepts it, too. */
const beforeMs = 86_400_000;

function certificateOf(
  {
    subject,
    publicKey,
    untilMs,
    extension,
  }: { subject: string; publicKey: KeyObject; untilMs: number; extension: Buffer },
  signer: { readonly name: string; readonly key: KeyObject },
): string {
  const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const toSign = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    serial,
    ecdsaWithSha256,
    nameOf(signer.name),
    sequence(timeOf(Date.now() - beforeMs), timeOf(untilMs)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(extension)),
  );
  return pemOf(sequence(toSign, ecdsaWithSha256, bits(sign('sha256', toSign, signer.key))));
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

/** A new one, good for ten years. */
export function newAuthority(): Authority {
  const name = 'authority of the tests';
  const own = newKeys();
  const signer = { name, key: own.privateKey };
  const tenYearsMs = 3_650 * beforeMs;
  return {
    pem: certificateOf(
      { subject: name, publicKey: own.publicKey, untilMs: Date.now() + tenYearsMs, extension: isAuthority },
      signer,
    ),
    issue: (untilMs) => {
      const { publicKey, privateKey } = newKeys();
      return {
        certPem: certificateOf({ subject: '127.0.0.1', publicKey, untilMs, extension: loopback }, signer),
        keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}
