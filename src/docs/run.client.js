// Runs a tool from its page, with the reader's key, and shows the answer.

const form = document.querySelector('form');
const output = document.querySelector('output');
const { key, body, example, file } = form.elements;
const keptKey = 'api-key';

key.value = sessionStorage.getItem(keptKey) ?? '';
form.hidden = false;

example?.addEventListener('change', () => {
  body.value = example.value;
});

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  sessionStorage.setItem(keptKey, key.value);
  output.replaceChildren('…');
  try {
    await show(await call());
  } catch (error) {
    output.replaceChildren(element('p', String(error), 'bad'));
  }
});

function call() {
  const headers = key.value ? { Authorization: `Bearer ${key.value}` } : {};
  const upload = file?.files[0];
  if (!upload) {
    headers['Content-Type'] = 'application/json';
    return fetch(form.dataset.path, { method: 'POST', headers, body: body.value });
  }
  const data = new FormData();
  data.set('file', upload);
  data.set('options', body.value);
  return fetch(form.dataset.upload, { method: 'POST', headers, body: data });
}

async function show(response) {
  const { headers, status } = response;
  const cost = headers.get('X-Credits-Cost');
  const left = headers.get('X-Credits-Remaining');
  const line = `${status}, ${cost} credit${cost === '1' ? '' : 's'}${left === null ? '' : `, ${left} left`}`;
  const parts = [element('p', line, response.ok ? 'quiet' : 'bad')];
  const ignored = headers.get('X-Ignored-Fields');
  if (ignored) parts.push(element('p', `Ignored fields: ${ignored}`, 'bad'));
  const type = headers.get('Content-Type') ?? '';
  if (type.startsWith('image/')) parts.push(picture(URL.createObjectURL(await response.blob())));
  else parts.push(...(await answer(await response.text())));
  output.replaceChildren(...parts);
}

/** The indented JSON, and after it each field that is an image, a diff, Markdown or a text of several lines. */
async function answer(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return [element('pre', text)];
  }
  const parts = [element('pre', JSON.stringify(value, null, 2))];
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'string') continue;
    if (name === 'diff') parts.push(diff(field));
    else if (name === 'markdown' || (name === 'output' && value.format === 'markdown'))
      parts.push(await rendered(field));
    else if (/^\/9j\/|^iVBORw0KGgo|^UklGR/.test(field))
      parts.push(picture(`data:image/*;base64,${field}`));
    else if (field.includes('\n')) parts.push(element('pre', field));
  }
  return parts;
}

function diff(text) {
  const pre = element('pre', '');
  const kinds = { '+': 'insert', '-': 'delete' };
  for (const line of text.split('\n')) pre.append(element('span', `${line}\n`, kinds[line[0]]));
  return pre;
}

/** Renders Markdown in a sandboxed frame without scripts, because anybody may have written the Markdown. */
async function rendered(markdown) {
  const { marked } = await import('/assets/marked.js');
  const frame = element('iframe', '');
  frame.sandbox = '';
  frame.title = 'The Markdown, rendered';
  frame.srcdoc = `<!doctype html><meta name="color-scheme" content="light dark">${marked(markdown)}`;
  return frame;
}

function picture(source) {
  const image = element('img', '');
  image.src = source;
  image.alt = 'The image in the response';
  return image;
}

function element(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}
