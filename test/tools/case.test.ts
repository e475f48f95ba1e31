import { expect, it } from 'vitest';
import { changeCase } from '../../src/tools/case.ts';
import { run } from './run.ts';

it.each([
  ['HTTPServer2', 'snake', 'http_server2', 'pascal'],
  ['hello_world', 'camel', 'helloWorld', 'snake'],
  ['hello-world', 'pascal', 'HelloWorld', 'kebab'],
  ['helloWorld', 'kebab', 'hello-world', 'camel'],
  ['hello world', 'constant', 'HELLO_WORLD', 'lower'],
  ['MAX_VALUE', 'title', 'Max Value', 'constant'],
  ['The Quick Fox', 'sentence', 'The quick fox', 'title'],
  ['The quick fox', 'title', 'The Quick Fox', 'sentence'],
  ["don't stop", 'title', "Don't Stop", 'lower'],
  ["don't stop", 'camel', 'dontStop', 'lower'],
  ['XMLHttpRequest', 'camel', 'xmlHttpRequest', 'pascal'],
  ['version 1.2', 'snake', 'version_1_2', 'lower'],
  ['ÜBER GRÖSSE', 'camel', 'überGrösse', 'upper'],
  ['foo_Bar-baz', 'kebab', 'foo-bar-baz', 'mixed'],
  ['don’t stop', 'sentence', 'Don’t stop', 'lower'],
  ['userIDs', 'snake', 'user_ids', 'camel'],
  ['URLsList', 'kebab', 'urls-list', 'pascal'],
  ['IPv6Address', 'snake', 'ipv6_address', 'pascal'],
  ['iOSApp', 'snake', 'ios_app', 'camel'],
  ['OAuth2Client', 'snake', 'oauth2_client', 'pascal'],
  ['kHTTPTimeout', 'snake', 'k_http_timeout', 'camel'],
  ['HTTP2server 3DModel', 'snake', 'http2server_3d_model', 'mixed'],
  ['H2O B2B', 'snake', 'h2o_b2b', 'upper'],
  ['ΑΣ ΟΔΟΣ', 'title', 'Ας Οδος', 'upper'],
  ['𐐨𐐩 𐐨', 'title', '𐐀𐐩 𐐀', 'lower'],
  ['co\u00adoperate', 'camel', 'cooperate', 'lower'],
  ['हिन्दी_भाषा', 'title', 'हिन्दी भाषा', 'snake'],
  ['ภาษาไทย', 'snake', 'ภาษาไทย', 'unknown'],
  ['123 !', 'snake', '123', 'unknown'],
  ['', 'camel', '', 'unknown'],
] as const)('%s to %s', async (input, to, output, from) => {
  expect(await run(changeCase, { input, to })).toEqual({ output, from, to });
});
