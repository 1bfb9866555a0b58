import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findConsul } from '@/scripts/consul-binary.mjs';
import { findVersions, oldVersion } from '@/scripts/consul-versions.mjs';
import { debianPackage, mirrorIn } from '@/scripts/debian.mjs';
import { sha256 } from '@/scripts/download.mjs';
import { pinnedVersion } from '@/scripts/hashicorp.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { zip } from '@/test/support/zip';

/** A program that says it is Consul. */
const consul = (version: string) => Buffer.from(`#!/bin/sh\necho "Consul v${version}"\n`);
const machine = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
const archiveName = `consul_${pinnedVersion}_${process.platform}_${machine}.zip`;
const archive = zip([
  { name: 'LICENSE.txt', bytes: Buffer.from('free') },
  { name: 'consul', bytes: consul(pinnedVersion) },
]);

/** The release server's content; each test may change it. */
let files = new Map<string, Buffer>();
let asked: string[] = [];
let server: Server;
let base = '';
/** Where nothing listens. */
let nowhere = '';
let dir = '';
let heard: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const file = files.get(request.url ?? '');
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const block = await claimPorts(1);
  nowhere = `http://127.0.0.1:${block.ports[0]}`;
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/consul`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'signalbox-finder-'));
  asked = [];
  heard = [];
  files = new Map([
    [`/consul/${pinnedVersion}/${archiveName}`, archive],
    [
      `/consul/${pinnedVersion}/consul_${pinnedVersion}_SHA256SUMS`,
      Buffer.from(
        `${'0'.repeat(64)}  consul_${pinnedVersion}_plan9_amd64.zip\n${sha256(archive)}  ${archiveName}\n`,
      ),
    ],
  ]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function program(folder: string, name: string, version: string): string {
  mkdirSync(join(dir, folder), { recursive: true });
  const path = join(dir, folder, name);
  writeFileSync(path, consul(version));
  chmodSync(path, 0o755);
  return path;
}

const find = (env: Record<string, string> = {}) =>
  findConsul({
    env: {
      PATH: '/nowhere',
      SIGNALBOX_CACHE: join(dir, 'cache'),
      SIGNALBOX_CONSUL_RELEASES: base,
      // So that no test depends on a mirror.
      SIGNALBOX_DEBIAN_MIRROR: `${nowhere}/debian/`,
      ...env,
    },
    say: (line) => void heard.push(line),
  });

describe('order', () => {
  test('CONSUL_BIN comes before the PATH, the PATH before the cache, the cache before a download', async () => {
    const named = program('named', 'consul-mine', '1.2.3');
    const onPath = program('bin', 'consul', '1.3.4');
    const kept = program('cache', `consul-${pinnedVersion}`, pinnedVersion);
    const PATH = `/nowhere:${join(dir, 'bin')}`;
    expect(await find({ CONSUL_BIN: named, PATH })).toEqual({
      path: named,
      version: '1.2.3',
      source: 'CONSUL_BIN',
    });
    expect(await find({ PATH })).toMatchObject({ path: onPath, version: '1.3.4' });
    expect(await find()).toMatchObject({ path: kept, version: pinnedVersion });
    expect(asked).toEqual([]);
  });

  test('a CONSUL_BIN that does not run is an error, not a reason to take another', async () => {
    await expect(find({ CONSUL_BIN: join(dir, 'none') })).rejects.toThrow('Correct or unset it');
  });

  test('something else called consul on the PATH is skipped, and said', async () => {
    mkdirSync(join(dir, 'bin'));
    writeFileSync(join(dir, 'bin', 'consul'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
    expect(await find({ PATH: join(dir, 'bin') })).toMatchObject({ version: pinnedVersion });
    expect(heard.join('\n')).toContain('Skipped');
  });
});

describe('download', () => {
  test('a release is checked, unpacked, kept, and not fetched again', async () => {
    const first = await find();
    expect(first).toMatchObject({ version: pinnedVersion, source: expect.stringContaining('HashiCorp') });
    expect(statSync(first.path).mode & 0o111).toBe(0o111);
    expect(asked).toHaveLength(2);
    expect(await find()).toEqual(first);
    expect(asked).toHaveLength(2);
  });

  test('two at once leave one whole binary', async () => {
    const [a, b] = await Promise.all([find(), find()]);
    expect(a).toEqual(b);
    expect(readdirSync(join(dir, 'cache'))).toEqual([`consul-${pinnedVersion}`]);
  });

  test('an archive with another checksum is refused, and nothing of it is kept', async () => {
    files.set(`/consul/${pinnedVersion}/${archiveName}`, zip([{ name: 'consul', bytes: consul('6.6.6') }]));
    await expect(find()).rejects.toThrow('does not have its published checksum');
    expect(readdirSync(join(dir, 'cache'))).toEqual([]);
  });

  test('checksums that do not name the archive are refused', async () => {
    files.set(`/consul/${pinnedVersion}/consul_${pinnedVersion}_SHA256SUMS`, Buffer.from('x  y\n'));
    await expect(find()).rejects.toThrow('do not name');
  });

  test('with no source left the message names each and what to do', async () => {
    const failure = await find({ SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul` }).catch((e: Error) => e);
    expect(failure).toBeInstanceOf(Error);
    const { message } = failure as Error;
    expect(message).toContain('cannot be reached (ECONNREFUSED)');
    expect(message).toContain(debianPackage.version);
    expect(message).toMatch(/apt-get .*failed: .*127\.0\.0\.1/);
    expect(message).toContain('CONSUL_BIN');
    expect(message).toContain('CONSUL_HTTP_ADDR');
  });
});

describe('the two versions of the tests', () => {
  const findBoth = (env: Record<string, string> = {}) =>
    findVersions({
      env: {
        PATH: '/nowhere',
        SIGNALBOX_CACHE: join(dir, 'cache'),
        SIGNALBOX_CONSUL_RELEASES: base,
        SIGNALBOX_DEBIAN_MIRROR: `${nowhere}/debian/`,
        ...env,
      },
      say: (line) => void heard.push(line),
    });
  const keepOld = () => program('cache', `consul-${debianPackage.version}`, oldVersion);

  test("the release and Debian's package are both taken, and nothing is left uncovered", async () => {
    const old = keepOld();
    expect(await findBoth()).toMatchObject({
      main: { version: pinnedVersion },
      old: { path: old, version: oldVersion },
      uncovered: [],
    });
  });

  test('CONSUL_BIN takes the place of the newest alone', async () => {
    keepOld();
    // A build between two versions keeps its suffix, because it is neither of them.
    const named = program('named', 'consul', '2.1.0-dev');
    const { main, old, uncovered } = await findBoth({ CONSUL_BIN: named });
    expect([main.version, old?.version, uncovered]).toEqual(['2.1.0-dev', oldVersion, []]);
    expect(asked).toEqual([]);
  });

  test('an old Consul on the PATH is the old one, and a newer one is fetched', async () => {
    const own = program('bin', 'consul', oldVersion);
    const { main, old } = await findBoth({ PATH: join(dir, 'bin') });
    expect([main.version, old?.path]).toEqual([pinnedVersion, own]);
  });

  test('without a release and without Go the old one serves, and the newest is named as uncovered', async () => {
    const old = keepOld();
    const found = await findBoth({ SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul` });
    expect(found).toMatchObject({ main: { path: old }, old: null });
    expect(found.uncovered).toHaveLength(1);
    expect(found.uncovered[0]).toMatch(new RegExp(`^Consul ${pinnedVersion} .*this machine has no Go`));
  });

  test('a Go that is too old is said, and builds nothing', async () => {
    keepOld();
    mkdirSync(join(dir, 'go'));
    writeFileSync(join(dir, 'go', 'go'), '#!/bin/sh\necho go1.25.3\n', { mode: 0o755 });
    const { uncovered } = await findBoth({
      PATH: join(dir, 'go'),
      SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul`,
    });
    expect(uncovered[0]).toContain('it needs Go 1.26, and this is go1.25.3');
  });

  test('a Go that can build gives the binary, which is kept under a name of its own', async () => {
    keepOld();
    mkdirSync(join(dir, 'go'));
    // Stands for the compiler, whose own work takes minutes: it writes what `-o` names.
    const script = `#!/bin/sh
if [ "$1" = env ]; then echo go1.26.1; exit; fi
test -f go.sum || exit 1
printf '#!/bin/sh\\necho "Consul v${pinnedVersion}"\\n' > "$4"
`;
    writeFileSync(join(dir, 'go', 'go'), script, { mode: 0o755 });
    const env = { PATH: `${join(dir, 'go')}:/bin:/usr/bin`, SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul` };
    const { main, uncovered } = await findBoth(env);
    expect(main).toMatchObject({ version: pinnedVersion, source: `its Go module ${pinnedVersion}` });
    expect(uncovered).toEqual([]);
    const again = await findBoth({ SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul` });
    expect(again.main).toEqual(main);
    // A build of the tests serves a start, too; a start alone never builds.
    expect(await find()).toEqual(main);
  });

  test('a start never builds', async () => {
    mkdirSync(join(dir, 'go'));
    writeFileSync(join(dir, 'go', 'go'), '#!/bin/sh\ntouch "$0.ran"\n', { mode: 0o755 });
    await expect(
      find({ PATH: join(dir, 'go'), SIGNALBOX_CONSUL_RELEASES: `${nowhere}/consul` }),
    ).rejects.toThrow('none could be fetched');
    expect(readdirSync(join(dir, 'go'))).toEqual(['go']);
  });
});

describe('mirror', () => {
  test('the first Debian address counts; an Ubuntu machine tries the same host', () => {
    const list = (address: string) => `'${address}/dists/stable/InRelease' some_file 0 \n`;
    expect(mirrorIn(list('http://a.example/debian-security') + list('http://b.example/x/debian'))).toBe(
      'http://b.example/x/debian/',
    );
    expect(mirrorIn(list('https://c.example/ubuntu'))).toBe('https://c.example/debian/');
    expect(mirrorIn('Hit:1 nothing\n')).toBeNull();
  });
});
