import { Graph } from '@/components/graph/graph';
import { titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.graph.title);

export default function GraphPage() {
  return <Graph />;
}
