import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of the given files, as `zip` writes it: local headers, a central directory, an end record. */
export function zip(files: readonly { name: string; bytes: Buffer; stored?: boolean }[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, stored = false } of files) {
    const packed = stored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    // Absent before Node 20.15; our reader leaves integrity to the archive's own checksum.
    common.writeUInt32LE(typeof crc32 === 'function' ? crc32(bytes) : 0, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    // The local header has an extra field that the directory lacks, as archives from other machines do.
    common.writeUInt16LE(4, 24);
    const local = Buffer.concat([
      Buffer.from('504b0304', 'hex'),
      common,
      Buffer.from(name),
      Buffer.alloc(4),
      packed,
    ]);
    common.writeUInt16LE(0, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('504b01021403', 'hex'), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
