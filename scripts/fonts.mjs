/**
 * The opposite font set for a browser. Chinese text has other widths and heights in a Chinese font than in replacement
 * boxes, and a page must fit either. A machine with a Chinese font gets a browser without. A machine without gets one
 * with Debian's smallest, which is fetched into the cache and never installed.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './consul-binary.mjs';
import { pinnedFromDebian } from './debian.mjs';
import { keptFolder } from './kept.mjs';

const run = promisify(execFile);

const fontPackage = {
  name: 'fonts-wqy-microhei',
  version: '0.2.0-beta-3.1',
  suite: 'bookworm',
  arch: 'all',
  sha256: '239163df984eea5c9da3b551aee374936222cdbd67f1a1be3cdcf3d76143ad66',
};

/** @param {NodeJS.ProcessEnv} env @returns {Promise<boolean>} whether some font there has Chinese characters */
async function hasChinese(env) {
  const { stdout } = await run('fc-list', [':lang=zh-cn', 'file'], { env, timeout: 20_000 }).catch(
    (cause) => {
      throw new Error('this machine has no fc-list (package fontconfig)', { cause });
    },
  );
  return stdout.trim() !== '';
}

/**
 * @param {string} cache
 * @param {string} rules
 * @returns {string} the path of a configuration: the machine's own fonts, and these rules
 */
function configuration(cache, rules) {
  const path = join(cache, `fonts-${randomUUID()}.conf`);
  const text = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>',
    rules,
    `<cachedir>${join(cache, 'fontconfig')}</cachedir>`,
    '</fontconfig>',
    '',
  ].join('\n');
  writeFileSync(path, text);
  return path;
}

/** @param {(line: string) => void} say @returns {Promise<string>} the folder of the font */
const fetchedFont = (say) =>
  keptFolder(`${fontPackage.name}-${fontPackage.version}`, (dir) => {
    say(`No Chinese font here yet: fetching Debian's package ${fontPackage.name} …`);
    return pinnedFromDebian({
      dir,
      mirror: process.env.SIGNALBOX_DEBIAN_MIRROR || null,
      wanted: fontPackage,
    });
  });

/**
 * A `FONTCONFIG_FILE` that gives a browser Chinese characters where the machine has none, and the reverse. Throws a
 * readable sentence when that is impossible.
 * @param {{ say?: (line: string) => void, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ file: string, chinese: boolean, remove: () => void }>} `chinese`: whether the browser has them
 */
export async function otherFonts({ say = () => {}, env = process.env } = {}) {
  if (process.platform !== 'linux') throw new Error(`not for ${process.platform}`);
  const cache = cacheFolder(env);
  mkdirSync(cache, { recursive: true });
  const chinese = !(await hasChinese(env));
  const rules = chinese
    ? `<dir>${await fetchedFont(say)}</dir>`
    : '<selectfont><rejectfont><pattern><patelt name="lang"><string>zh-cn</string></patelt></pattern></rejectfont></selectfont>';
  const file = configuration(cache, rules);
  const remove = () => rmSync(file, { force: true });
  if ((await hasChinese({ ...env, FONTCONFIG_FILE: file })) === chinese) return { file, chinese, remove };
  remove();
  throw new Error(
    `fontconfig did not take the configuration that ${chinese ? 'adds' : 'hides'} a Chinese font`,
  );
}
