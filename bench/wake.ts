/** From a write in Consul to an event in hand. */
import { startSignalbox } from '@/e2e/support/signalbox';
import { startConsul } from '@/test/support/consul';
import { atMost, type Bench, ms, quantile } from './figure';

export const bench: Bench = {
  title: 'Wake: from a write in Consul to an event',
  about: 'To be written.',
  run: async ({ defer, say }) => {
    const consul = await startConsul();
    const signalbox = await startSignalbox({ consulAddress: consul.address });
    defer(signalbox.stop);
    say(`Signalbox at ${signalbox.baseUrl}`);
    const samples: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const began = performance.now();
      await fetch(`http://${consul.address}/v1/kv/a/${i}`, { method: 'PUT', body: 'x' });
      samples.push(performance.now() - began);
    }
    return {
      compared: 'itself',
      figures: [
        atMost('PUT, median', {
          ours: quantile(samples, 0.5),
          compared: quantile(samples, 0.5),
          max: 1.5,
          show: ms,
        }),
      ],
    };
  },
};
