import { Graph } from '@/components/graph/graph';
import { titled } from '@/lib/server/language';

export const generateMetadata = titled((m) => m.graph.title);

export default function GraphPage() {
  return <Graph />;
}
