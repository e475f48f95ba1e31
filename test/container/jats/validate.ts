import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  ParseOption,
  XmlBufferInputProvider,
  XmlDocument,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import { unpackTar } from 'modern-tar';

const entries = await unpackTar(
  gunzipSync(readFileSync('test/container/jats/archiving-1.2d1.tar.gz')),
);
const files = entries
  .filter(({ data }) => data)
  .map(({ header, data }) => [`jats/${header.name}`, data!]);
xmlRegisterInputProvider(new XmlBufferInputProvider(Object.fromEntries(files)));

/** What is wrong with an article by the DTD of JATS Archiving; empty when it is valid. */
export function faultsOf(article: string): string {
  const xml = article
    .replace(/<!DOCTYPE[^>]*>/, '<!DOCTYPE article SYSTEM "jats/JATS-archivearticle1-mathml3.dtd">')
    .replace('dtd-version="1.2"', 'dtd-version="1.2d1"');
  const { XML_PARSE_DTDLOAD, XML_PARSE_DTDVALID, XML_PARSE_NONET } = ParseOption;
  try {
    const option = XML_PARSE_DTDLOAD | XML_PARSE_DTDVALID | XML_PARSE_NONET;
    XmlDocument.fromString(xml, { option }).dispose();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
