import { Document, documentMetadata, documentViewport } from '@/app/document';
import { Frame } from './frame';

export const generateMetadata = documentMetadata;
export const viewport = documentViewport;

export default function ConsoleLayout({ children }: { children: React.ReactNode }) {
  return (
    <Document>
      <Frame>{children}</Frame>
    </Document>
  );
}
