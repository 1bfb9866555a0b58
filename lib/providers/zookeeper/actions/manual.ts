/** Manual commands with ZooKeeper's own tool, where they can be as careful. */
import type { ManualStep } from '@/lib/domain/actions/plan';
import { quoted } from '@/lib/domain/by-hand/command';
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';

/** The tool's shell splits its input at blanks, while a command line takes each path as one word. */
export const deletion = ({ path, stat: { version } }: ZkNode): readonly ManualStep[] => [
  {
    tool: 'zkCli.sh',
    note: { code: 'zookeeper-deletes', facts: { path, version } },
    command: `zkCli.sh delete -v ${version} ${quoted(path)}`,
  },
];

export const writing = ({ path, stat: { version } }: ZkNode, text: string): readonly ManualStep[] => [
  {
    tool: 'zkCli.sh',
    note: { code: 'zookeeper-sets', facts: { path, version } },
    command: `zkCli.sh set -v ${version} ${quoted(path)} ${quoted(text)}`,
  },
];

/** For actions that must compare another node, or write data that is no text. */
export const none: readonly ManualStep[] = [
  { tool: 'zkCli.sh', note: { code: 'zookeeper-no-command', facts: {} }, command: null },
];
