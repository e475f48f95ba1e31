/** How the labels of RFC 7468, and some that are older, read; others are put in lower case. */
const labels: Record<string, string> = {
  'PRIVATE KEY': 'private key (PKCS #8)',
  'ENCRYPTED PRIVATE KEY': 'encrypted private key (PKCS #8)',
  'OPENSSH PRIVATE KEY': 'OpenSSH private key',
  'X509 CRL': 'certificate revocation list',
  'NEW CERTIFICATE REQUEST': 'certificate request',
  'X509 CERTIFICATE': 'certificate',
  PKCS7: 'PKCS #7 data',
  CMS: 'CMS data',
};

/** Names that stay in capitals. */
const acronym = /^(?:RSA|DSA|EC|DH|X9\.42|SSH2|AGE|X25519|ED25519)$/;

/** What keys and certificates in a text are; undefined for a text of another kind. */
export function keyLabel(kind: string, text: string): string | undefined {
  if (kind === 'application/pgp-keys') {
    return /^-----BEGIN PGP PRIVATE/m.test(text) ? 'PGP private key block' : undefined;
  }
  if (kind !== 'application/x-pem-file') return undefined;
  const blocks = Array.from(
    text.matchAll(/^-----BEGIN ([A-Z0-9 .]+)-----$/gm),
    ([, label]) => label!,
  );
  const names = [...new Set(blocks)]
    .slice(0, 3)
    .map((label) => labels[label] ?? inLowerCase(label));
  return `PEM ${names.join(' and ')}`;
}

const inLowerCase = (label: string) =>
  label
    .split(' ')
    .map((word) => (acronym.test(word) ? word : word.toLowerCase()))
    .join(' ');
