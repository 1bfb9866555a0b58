import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from './certificate';
import { endsWithFile } from './endings';

export interface PemFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Key and certificate in one, as Java takes them. */
  readonly both: string;
}

const dayMs = 24 * 60 * 60_000;

/** A certificate of this authority for 127.0.0.1, good for a day, as files that go with the test file. A client may use it, too. */
export function writePemFiles(authority: Authority): PemFiles {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-pem-'));
  endsWithFile(async () => rmSync(dir, { recursive: true, force: true }));
  const { certPem, keyPem } = authority.issue(Date.now() + dayMs);
  const write = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  return {
    ca: write('ca.pem', authority.pem),
    cert: write('cert.pem', certPem),
    key: write('key.pem', keyPem),
    both: write('both.pem', `${keyPem}${certPem}`),
  };
}
