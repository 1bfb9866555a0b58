/**
 * Finds a key's slot among a cluster's 16,384: CRC-16 (XMODEM) of its hash tag, as in Redis's cluster specification.
 */

export const slotsCount = 16_384;
const polynomial = 0x1021;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ polynomial;
  return crc & 0xffff;
});

/** The bytes between the first `{` and the next `}`, or the whole key when there are none. */
function tagOf(key: Buffer): Buffer {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.subarray(open + 1, close) : key;
}

/** True when a name and its companions share a slot, as Redisson's scripts need. `names.ts` adds the missing braces. */
export function sharesSlot(name: string): boolean {
  const open = name.indexOf('{');
  if (open < 0) return !name.includes('}');
  return name.indexOf('}', open + 1) > open + 1;
}

export function slotOf(key: string | Buffer): number {
  let crc = 0;
  for (const byte of tagOf(typeof key === 'string' ? Buffer.from(key) : key))
    crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0);
  return crc % slotsCount;
}
