/** The two versions of Consul for the tests: the newest available, and the oldest supported. */
import { cached, fetched, installed, named, sources } from './consul-binary.mjs';
import { debianPackage } from './debian.mjs';
import { pinnedVersion } from './hashicorp.mjs';

/** @typedef {import('./consul-binary.mjs').ConsulBinary} ConsulBinary */

/** Such as `1.8.7`. Everything that works there works on newer versions, too. */
export const oldVersion = debianPackage.version.replace(/\+.*/, '');

/**
 * @typedef {object} Versions
 * @property {ConsulBinary} main what every tier runs on
 * @property {ConsulBinary | null} old what the integration tier runs on as well; `null` where it is `main`, or cannot be had
 * @property {string[]} uncovered the wanted versions that are missing, each with the reason
 */

/** @param {ConsulBinary | null} binary @returns {boolean} true where it is as new as the pinned one */
function isNew(binary) {
  if (binary === null) return false;
  const wanted = pinnedVersion.split('.').map(Number);
  const parts = binary.version.split(/\D+/).map(Number);
  const differs = wanted.findIndex((part, at) => part !== parts[at]);
  return differs === -1 || (parts[differs] ?? 0) > (wanted[differs] ?? 0);
}

/**
 * Finds both. `CONSUL_BIN` is the main one whatever its version. Throws when there is no Consul at all.
 * @param {import('./consul-binary.mjs').Search} [search]
 * @returns {Promise<Versions>}
 */
export async function findVersions({ env = process.env, say = () => {} } = {}) {
  /** @type {string[]} */
  const skipped = [];
  const given = await named(env);
  const own = await installed({ env, say });
  const debian = async () =>
    (await cached([sources.debian], env)) ?? (await fetched([sources.debian], { env, say, skipped }));
  const newest = async () =>
    isNew(own)
      ? own
      : ((await cached([sources.release, sources.module], env)) ??
        (await fetched([sources.release, sources.module], { env, say, skipped })));
  const main = given ?? (await newest());
  const oldest = [main, own].find((binary) => binary?.version === oldVersion) ?? (await debian());
  const chosen = main ?? own ?? oldest;
  const why = skipped.join('; ');
  if (chosen === null) throw new Error(`There is no Consul for the tests: ${why}. Set CONSUL_BIN to one.`);
  return {
    main: chosen,
    old: oldest === null || oldest.version === chosen.version ? null : oldest,
    uncovered: [
      ...(isNew(chosen) ? [] : [`Consul ${pinnedVersion} (${given === null ? why : 'CONSUL_BIN is older'})`]),
      ...(oldest === null ? [`Consul ${oldVersion} (${why})`] : []),
    ],
  };
}
