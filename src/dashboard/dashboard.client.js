// Adds copy buttons, and passes a new key on to the docs. The dashboard works without this script.

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = 'Copied';
  });
}

for (const link of document.querySelectorAll('[data-key]')) {
  link.addEventListener('click', () => sessionStorage.setItem('api-key', link.dataset.key));
}

// Prevents a second submission by a double click.
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', () => {
    for (const button of form.querySelectorAll('button')) button.disabled = true;
  });
}
