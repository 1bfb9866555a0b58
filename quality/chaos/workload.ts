/** Constant work: a lock that beats, clients that contend, and a person who acts through Signalbox. */
import type { FaultProxy } from '@/test/support/fault-proxy';
import type { Server } from '@/test/support/server';
import type { Chance } from './chance';
import { type Contenders, startContenders } from './contenders';
import type { Grounds } from './ground';
import { type Operator, startOperator } from './operator';
import { type Pulse, startPulse } from './pulse';
import type { Reader } from './reader';

export interface Workload {
  readonly pulse: Pulse;
  readonly contenders: Contenders;
  readonly operator: Operator;
  stop(): Promise<void>;
}

export async function startWorkload({
  grounds: { addresses, tokens, consul, cluster },
  proxy,
  server,
  reader,
  chance,
}: {
  grounds: Grounds;
  proxy: FaultProxy;
  server: Server;
  reader: Reader;
  chance: Chance;
}): Promise<Workload> {
  const token = tokens.management;
  const pulse = startPulse({ addresses, token });
  const binary = (consul ?? cluster)?.binary ?? 'consul';
  const contenders = startContenders({ addresses, token, binary, chance });
  const operator = startOperator({
    baseUrl: server.baseUrl,
    addresses,
    token,
    // An actor without a token uses Signalbox's own.
    tokens: ['', tokens.editor, token],
    proxy,
    reader,
    chance,
  });
  return {
    pulse,
    contenders,
    operator,
    stop: async () => {
      await Promise.all([pulse.stop(), contenders.stop(), operator.stop()]);
    },
  };
}
