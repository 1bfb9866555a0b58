/**
 * A buffering reverse proxy between people and Signalbox: streams come in lumps, or not at all. A viewer through it
 * must not see "live" over old data; one past it sees everything.
 */
import type { Fault } from '@/quality/chaos/fault';
import { agent } from '@/quality/chaos/ground';
import { cutOffBoundMs } from '@/quality/chaos/invariants';
import { openViewer, type Viewer } from '@/quality/chaos/viewer';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

/** More than a stream brings during a fault, so that nothing passes. */
const wholeBytes = 64 * 1024 * 1024;
/** nginx's default: eight pages of memory, twice. */
const lumpBytes = 64 * 1024;

interface Way {
  readonly proxy: FaultProxy;
  readonly viewer: Viewer;
}
const ways = new Map<object, Way>();

const buffering = (name: string, title: string, bytes: number): Fault => ({
  name,
  title,
  ground: agent,
  hits: 'console',
  lastsMs: [14_000, 18_000],
  inject: async (stage) => {
    const proxy = await startFaultProxy(new URL(stage.server.baseUrl).host);
    stage.defer(proxy.close);
    const viewer = openViewer(`http://${proxy.address}`, { boundMs: cutOffBoundMs });
    stage.defer(viewer.close);
    ways.set(stage, { proxy, viewer });
    await until(() => viewer.screen().live, { what: 'the screen behind the proxy to be live' });
    stage.viewers.push(viewer);
    proxy.lump(bytes);
  },
  mend: async (stage) => {
    const way = ways.get(stage);
    ways.delete(stage);
    if (way === undefined) return;
    const { proxy, viewer } = way;
    const noticed = viewer.said.some(({ says }) => says === 'console-unreachable');
    proxy.resume();
    try {
      await until(() => viewer.screen().live, {
        what: 'the screen behind the proxy to be live again',
        timeoutMs: 40_000,
      });
      if (!noticed && bytes === wholeBytes) throw new Error('Nobody noticed that nothing came.');
    } finally {
      viewer.close();
      stage.viewers.splice(stage.viewers.indexOf(viewer), 1);
      await proxy.close();
    }
  },
});

export const bufferingFaults: readonly Fault[] = [
  buffering(
    'proxy-buffers',
    'A reverse proxy before Signalbox keeps all that comes back for itself',
    wholeBytes,
  ),
  buffering('proxy-lumps', 'A reverse proxy before Signalbox passes on 64 kB at a time', lumpBytes),
];
