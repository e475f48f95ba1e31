import type { Tool } from '../tools/tool.ts';
import { priceOf } from './markdown.ts';

/** A form that runs the tool; it needs a script, since a key goes into a header. */
export function Playground({ tool }: { tool: Tool }) {
  const { name, path = name, upload, examples } = tool;
  const sources = examples.map(({ title, input }) => ({
    title,
    source: JSON.stringify(input, null, 2),
  }));
  return (
    <>
      <h2 id="try">Try it</h2>
      <p class="quiet">Price: {priceOf(tool)} for a successful call. An error costs nothing.</p>
      <form hidden data-path={`/api/${path}`} data-upload={`/api/${upload?.path ?? ''}`}>
        <label>
          API key
          <input name="key" type="password" autocomplete="off" placeholder="sk_svc_…" />
        </label>
        <label>
          Example
          <select name="example">
            {sources.map(({ title, source }) => (
              <option value={source}>{title}</option>
            ))}
          </select>
        </label>
        {upload && (
          <label>
            File (replaces the field {upload.as})
            <input name="file" type="file" />
          </label>
        )}
        <label>
          JSON
          <textarea name="body" spellcheck={false}>
            {sources[0]?.source}
          </textarea>
        </label>
        <button>Run</button>
        <output aria-live="polite"></output>
      </form>
      <noscript>The form needs JavaScript. The code above works without it.</noscript>
    </>
  );
}
