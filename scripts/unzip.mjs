import { inflateRawSync } from 'node:zlib';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;

/**
 * One file out of a zip archive, by the archive's central directory. Knows stored and deflated files below 4 GB,
 * which is all that release archives use; throws for anything else.
 * @param {Buffer} archive
 * @param {string} name exact name inside the archive
 * @returns {Buffer}
 */
export function unzip(archive, name) {
  // The end record is the last thing in the file, before a comment of at most 65,535 bytes.
  let end = archive.length - 22;
  while (end >= 0 && archive.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < 0) throw new Error('This is not a zip archive.');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < count; i += 1) {
    if (archive.readUInt32LE(at) !== entrySignature) throw new Error('The zip directory is damaged.');
    const method = archive.readUInt16LE(at + 10);
    const packed = archive.readUInt32LE(at + 20);
    const size = archive.readUInt32LE(at + 24);
    const nameLength = archive.readUInt16LE(at + 28);
    const skip = archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    const local = archive.readUInt32LE(at + 42);
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name)
      return content(archive, { local, method, packed, size });
    at += 46 + nameLength + skip;
  }
  throw new Error(`The zip archive holds no file ${name}.`);
}

/**
 * @param {Buffer} archive
 * @param {{ local: number, method: number, packed: number, size: number }} entry
 * @returns {Buffer}
 */
function content(archive, { local, method, packed, size }) {
  if (archive.readUInt32LE(local) !== localSignature) throw new Error('The zip archive is damaged.');
  // The local header repeats name and extra field, whose lengths may differ.
  const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const bytes = archive.subarray(from, from + packed);
  if (method !== 0 && method !== 8)
    throw new Error(`The zip archive uses an unknown compression (${method}).`);
  const file = method === 0 ? Buffer.from(bytes) : inflateRawSync(bytes, { maxOutputLength: size });
  if (file.length !== size) throw new Error('The zip archive is cut off.');
  return file;
}
