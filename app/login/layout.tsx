import { Document, documentMetadata, documentViewport } from '@/app/document';

export const generateMetadata = documentMetadata;
export const viewport = documentViewport;

export default function LoginLayout({ children }: { children: React.ReactNode }) {
  return <Document>{children}</Document>;
}
