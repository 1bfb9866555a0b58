/** In which of a cluster's 16,384 slots a key is: CRC-16 (XMODEM) of its hash tag, as in Redis's cluster specification. */

export const slotsCount = 16_384;
const polynomial = 0x1021;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ polynomial;
  return crc & 0xffff;
});

/** What stands between the first `{` and the next `}`; all of the key where that is nothing. */
function tagOf(key: Buffer): Buffer {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.subarray(open + 1, close) : key;
}

/** Whether a name and its companions are in one slot, as one script of Redisson needs; `names.ts` gives braces to a name without. */
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
