import type { Component } from './third-party.ts';

const line = '-'.repeat(80);

/** The content of THIRD_PARTY_NOTICES: a list of the components, then each licence text once. */
export function notices(components: Component[]): string {
  const sections = [...holdersByText(components)].map(
    ([text, holders]) => `${line}\n${holders.join('\n')}\n${line}\n\n${text}\n`,
  );
  return [introduction, components.map(row).join('\n'), '\nLICENCE TEXTS\n', ...sections].join(
    '\n',
  );
}

const introduction = `THIRD-PARTY NOTICES

This file is written by \`npm run notices\`. It lists the software of others that is deployed:

- worker: the bundles of the front and the workshop, which run on Cloudflare
- client: dist/client.js
- converter: the document converter (container/), a separate program. pandoc is licensed under the GPL and is
  part of the converter only; libvips, which sharp loads, contains libraries under the LGPL.

A component "without a licence text" is published without one. Its terms are those of the named licence.

This software is based in part on the work of the Independent JPEG Group.

COMPONENTS
`;

function row({ name, version, licence, places, texts }: Component): string {
  const without = texts.length === 0 ? ', without a licence text' : '';
  return `- ${name} ${version}: ${licence} (${places.join(', ')}${without})`;
}

function holdersByText(components: Component[]): Map<string, string[]> {
  const holders = new Map<string, string[]>();
  for (const { name, version, texts } of components) {
    for (const text of texts) {
      holders.set(text, [...(holders.get(text) ?? []), `${name} ${version}`]);
    }
  }
  return holders;
}
