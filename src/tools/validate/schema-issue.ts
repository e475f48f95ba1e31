import { unsealed } from './contained.ts';
import { anySchema, type Failure } from './evaluate.ts';
import type { Issue } from './verdict.ts';

/** Largest number of returned issues. An instance may lack many properties in many places. */
const maxIssues = 10_000;

/** Converts failures to issues, one for each missing property. */
export function issuesOf(failures: Failure[], instance: unknown): Issue[] {
  const issues = new Map<string, Issue>();
  for (const failure of failures) {
    for (const issue of issuesOfOne(failure, instance)) {
      // Several branches of a schema often demand the same.
      issues.set(`${issue.path} ${issue.message}`, issue);
      if (issues.size >= maxIssues) return [...issues.values()];
    }
  }
  return [...issues.values()];
}

function issuesOfOne(failure: Failure, instance: unknown): Issue[] {
  // The library marks the failure of a property's name by an asterisk before its pointer.
  if (failure.path.startsWith('*')) {
    const path = failure.path.slice(1);
    const name = inJson(nameOf(path.slice(path.lastIndexOf('/') + 1)));
    return [{ path, message: `the property name ${name} ${demandOf(failure)}` }];
  }
  const { path } = failure;
  const missing = missingProperties(failure, valueAt(instance, path));
  if (missing.length > 0) return missing.map((message) => ({ path, message }));
  return [{ path, message: demandOf(failure) }];
}

const nameOf = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

function valueAt(instance: unknown, path: string): unknown {
  let value = instance;
  for (const part of path.split('/').slice(1)) {
    value = (value as Record<string, unknown> | undefined)?.[nameOf(part)];
  }
  return value;
}

const keywordOf = ({ at, keyword }: Failure) => at.split('/').at(-1) || keyword.split('/').at(-1)!;

function missingProperties(failure: Failure, value: unknown): string[] {
  const isMissing = (name: unknown) =>
    typeof name === 'string' && !Object.hasOwn(Object(value) as object, name);
  const name = keywordOf(failure);
  if (name === 'required' && Array.isArray(failure.wanted)) {
    return failure.wanted
      .filter(isMissing)
      .map((property) => `must have the property ${inJson(property)}`);
  }
  if (name !== 'dependentRequired' && name !== 'dependencies') return [];
  return Object.entries(failure.wanted ?? {}).flatMap(([property, others]) =>
    isMissing(property) || !Array.isArray(others)
      ? []
      : others
          .filter(isMissing)
          .map(
            (other) => `must have the property ${inJson(other)}, since it has ${inJson(property)}`,
          ),
  );
}

function demandOf(failure: Failure): string {
  const { at, keyword, wanted, beside } = failure;
  if (keyword === anySchema)
    return at === '' ? 'is not allowed: the schema is false' : `is not allowed here (${at})`;
  const name = keywordOf(failure);
  const value = wanted === undefined ? '' : ` ${shorten(inJson(wanted))}`;
  switch (name) {
    case 'type':
      return `must be of type${value.replaceAll('"', '')}`;
    case 'enum':
      return `must be one of${value}`;
    case 'const':
      return `must be${value}`;
    case 'anyOf':
      return `must satisfy at least one schema of anyOf${value}`;
    case 'oneOf':
      return `must satisfy exactly one schema of oneOf${value}`;
    case 'not':
      return `must not satisfy${value}`;
    case 'uniqueItems':
      return 'must have no two equal items';
    case 'contains': {
      const { minContains = 1, maxContains } = (beside ?? {}) as Record<string, unknown>;
      const most = maxContains === undefined ? '' : ` and at most ${inJson(maxContains)}`;
      const items = most === '' && minContains === 1 ? 'item that satisfies' : 'items that satisfy';
      return `must have at least ${inJson(minContains)}${most} ${items} contains${value}`;
    }
    default:
      return `must satisfy ${name}${value}`;
  }
}

const inJson = (value: unknown) => JSON.stringify(value, (_, inner: unknown) => unsealed(inner));
const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
