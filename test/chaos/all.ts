/** All faults, in the order of the page. */
import type { Fault } from './fault';
import { agentFaults } from './faults/agent';
import { linkFaults } from './faults/link';

export const faults: readonly Fault[] = [...agentFaults, ...linkFaults];
