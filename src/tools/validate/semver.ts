import { invalid, quoted, type Verdict } from './verdict.ts';

/** Validates by Semantic Versioning 2.0.0. Numbers over 2^53 are returned as strings. */
export function validateSemver(version: string): Verdict {
  const fault = faultOf(version);
  if (fault) return invalid(fault);
  const { core, prerelease, build } = partsOf(version);
  const [major, minor, patch] = core.map(numberOrText);
  return {
    errors: [],
    summary: version,
    details: { major, minor, patch, prerelease: prerelease.map(numberOrText), build },
  };
}

function partsOf(version: string) {
  const [, core = '', prerelease, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(version)!;
  return {
    core: core.split('.'),
    prerelease: prerelease?.split('.') ?? [],
    build: build?.split('.') ?? [],
  };
}

function numberOrText(identifier: string): number | string {
  const number = /^\d+$/.test(identifier) ? Number(identifier) : NaN;
  return Number.isSafeInteger(number) ? number : identifier;
}

const names = ['MAJOR', 'MINOR', 'PATCH'];

/** Describes the first error. */
function faultOf(version: string): string | undefined {
  if (version === '') return 'the version is empty; write MAJOR.MINOR.PATCH, such as 1.0.0';
  if (version.trim() !== version) return 'there is white space around the version; remove it';
  const prefix = /^[vV=][vV=\s]*(?=\d)/.exec(version)?.[0];
  if (prefix) return `${quoted(prefix)} stands before the version; remove it`;
  const wrong = /[^\dA-Za-z.+-]/u.exec(version);
  if (wrong) {
    return `${quoted(wrong[0])} at offset ${wrong.index} is not allowed; identifiers have letters A to Z, digits and hyphens`;
  }
  const { core, prerelease, build } = partsOf(version);
  return faultOfCore(core) ?? faultOfPrerelease(prerelease) ?? faultOfBuild(build);
}

function faultOfCore(core: string[]): string | undefined {
  const shape = 'a version begins with the three numbers MAJOR.MINOR.PATCH';
  for (const [i, number] of core.slice(0, 3).entries()) {
    if (number === '') return `${names[i]} is missing; ${shape}`;
    if (!/^\d+$/.test(number)) return `${names[i]} ${quoted(number)} is not a number`;
    if (/^0\d/.test(number)) return `${names[i]} ${quoted(number)} has a leading zero; remove it`;
  }
  if (core.length < 3) return `${names[core.length]} is missing; ${shape}`;
  if (core.length > 3) {
    return `${quoted(core.slice(3).join('.'))} stands behind PATCH; a pre-release follows a hyphen, build metadata a plus sign`;
  }
  return undefined;
}

function faultOfPrerelease(identifiers: string[]): string | undefined {
  if (identifiers.includes('')) return 'the pre-release has an empty identifier';
  const zero = identifiers.find((each) => /^0\d+$/.test(each));
  return zero && `the pre-release number ${quoted(zero)} has a leading zero; remove it`;
}

function faultOfBuild(identifiers: string[]): string | undefined {
  if (identifiers.some((each) => each.includes('+'))) return 'there is a second plus sign';
  return identifiers.includes('') ? 'the build metadata has an empty identifier' : undefined;
}
