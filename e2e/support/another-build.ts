/** The build under test as another one: the same code, whose server says that it is of another build. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '@/scripts/project.mjs';

/** As the servers of it call themselves. */
export const anotherName = 'upgraded';

export interface AnotherBuild {
  /** For `startServer`. */
  readonly folder: string;
  remove(): void;
}

/**
 * The browser's files stay as they are, under names that it has kept: for a reloaded page the server is still of
 * another build, as between the two servers of an upgrade under way. `name`: of the build under test. Throws when
 * nothing has that name.
 */
export function anotherBuild(name: string): AnotherBuild {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-build-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  for (const one of ['node_modules', 'package.json', 'next.config.js', 'public'])
    symlinkSync(inProject(one), join(folder, one));
  cpSync(inProject('.next'), join(folder, '.next'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.startsWith(inProject('.next', 'cache')),
  });
  const server = join(folder, '.next', 'server');
  let said = 0;
  for (const file of readdirSync(server, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const text = readFileSync(join(server, file), 'utf8');
    if (!text.includes(`"${name}"`)) continue;
    said += 1;
    writeFileSync(join(server, file), text.replaceAll(`"${name}"`, `"${anotherName}"`));
  }
  if (said > 0) return { folder, remove };
  remove();
  throw new Error(`Nothing in the build says that it is ${name}.`);
}
