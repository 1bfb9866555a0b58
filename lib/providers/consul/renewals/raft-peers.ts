/**
 * The servers of a cluster, as its Raft configuration names them. Unlike the service `consul` in the catalog, no client
 * of the HTTP API can register an address there, and the question needs no right.
 */
import { z } from 'zod';
import { atPeer, type ConsulSettings } from '@/lib/providers/consul/client/settings';
import { type AgentRequest, ask, isFault } from './agent-request';

/** Far more than any cluster has. */
const answerLengthMax = 16_384;
const peersSchema = z.array(z.string().regex(/^.+:\d+$/)).min(1);

/** The settings for each server, none where the agent refuses to name them; `null`: there was no answer. */
export async function askServers({
  settings,
  agent,
  signal,
}: Omit<AgentRequest, 'path'>): Promise<readonly ConsulSettings[] | null> {
  const { datacenter } = settings;
  const path = `/v1/status/peers${datacenter === undefined ? '' : `?dc=${datacenter}`}`;
  try {
    const { status, text } = await ask({ settings, path, signal, agent }, answerLengthMax);
    // Consul asks for no right here. A proxy may, and `http_config.block_endpoints` refuses it.
    if (status === 401 || status === 403) return [];
    const peers = status === 200 ? peersIn(text) : null;
    return peers === null ? null : peers.sort().map((peer) => atPeer(settings, peer));
  } catch (error) {
    if (!isFault(error)) throw error;
    return null;
  }
}

function peersIn(text: string): string[] | null {
  try {
    return peersSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
