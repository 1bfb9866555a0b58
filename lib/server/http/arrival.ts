/**
 * A request's address, TLS, and the person named by a proxy. Only listed proxies are believed: any client can forge
 * these headers.
 */
import { BlockList, isIP } from 'node:net';
import { ProblemError } from '@/lib/domain/problem';
import type { Env } from '@/lib/server/process/env';
import { peerOf } from './peer';

export interface Arrival {
  /** Behind an untrusted proxy, the proxy's. */
  readonly address: string | null;
  /** True for TLS to us or to the proxy. */
  readonly secure: boolean;
  readonly person: string | null;
}

export type Arrivals = (headers: Pick<Headers, 'get'>) => Arrival;

const personLengthMax = 128;
const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function refuse(part: string): never {
  throw new ProblemError({
    code: 'invalid',
    detail: `SIGNALBOX_TRUSTED_PROXY must be addresses or networks such as 10.0.0.0/8, with commas; ${part} is neither.`,
  });
}

/** Takes addresses and networks (`10.0.0.0/8`). Throws a `ProblemError` of code `invalid` otherwise. */
function trustedOf(addresses: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const part of addresses) {
    const [address = '', bits, ...more] = part.split('/');
    if (isIP(address) === 0 || more.length > 0) refuse(part);
    const most = isIP(address) === 6 ? 128 : 32;
    if (bits === undefined) list.addAddress(address, family(address));
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= most)
      list.addSubnet(address, Number(bits), family(address));
    else refuse(part);
  }
  return (address) => isIP(address) !== 0 && list.check(address, family(address));
}

/** Without port and brackets; `null`: no address. */
function hopOf(text: string): string | null {
  const hop = text.trim();
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)?.[1] ?? hop;
  const plain = bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
  return isIP(plain) === 0 ? null : plain;
}

/** Each proxy appends its peer at the right, so anything left of the last untrusted hop may be forged. */
function clientOf(
  peer: string,
  forwarded: string | null,
  trusted: (address: string) => boolean,
): string | null {
  let address: string | null = peer;
  const hops = (forwarded ?? '').split(',').filter((hop) => hop.trim() !== '');
  while (address !== null && trusted(address) && hops.length > 0) address = hopOf(hops.pop() ?? '');
  return address;
}

/** Node gives header bytes as Latin-1, proxies write UTF-8. */
function personOf(value: string | null): string | null {
  if (value === null || value.trim() === '') return null;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  const name = (Buffer.from(text, 'utf8').equals(bytes) ? text : value).trim();
  // Truncated names could make two people one.
  return name.length > personLengthMax || /\p{C}/u.test(name) ? null : name;
}

/** Throws a `ProblemError` of code `invalid` for a malformed list of trusted proxies. */
export function createArrivals({ proxy, url }: Pick<Env, 'proxy' | 'url'>): Arrivals {
  const trusted = trustedOf(proxy.addresses);
  const always = url?.protocol === 'https:';
  return (headers) => {
    const peer = peerOf(headers);
    if (peer === null || !trusted(peer)) return { address: peer, secure: always, person: null };
    const protocol = headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase();
    return {
      address: clientOf(peer, headers.get('x-forwarded-for'), trusted),
      secure: always || protocol === 'https',
      person: proxy.header === null ? null : personOf(headers.get(proxy.header)),
    };
  };
}
