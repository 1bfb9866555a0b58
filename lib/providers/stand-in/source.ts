/** A stand-in source by its address: `stand-in:///path/to/file.json`. */
import { parametersOf, refuseSource, type SourceSettings } from '@/lib/domain/seam/source-settings';
import type { StandInOptions } from './backend';

export function standInSource(source: SourceSettings): Omit<StandInOptions, 'now'> {
  const { id, title, address } = source;
  parametersOf(source, []);
  if (address.host !== '' || !/\/[^/]+$/.test(address.pathname))
    return refuseSource(`${id} must name a file with three slashes, as stand-in:///var/lib/locks.json.`);
  return { id, title, path: decodeURIComponent(address.pathname) };
}
