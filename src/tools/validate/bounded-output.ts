import { BasicOutputPlugin } from '@hyperjump/json-schema/experimental';

type AfterKeyword = Parameters<BasicOutputPlugin['afterKeyword']>;
type AfterSchema = Parameters<BasicOutputPlugin['afterSchema']>;

/** Largest number of failures kept while alternatives are evaluated, about 30 MB. */
const maxKeptFailures = 200_000;

const contains = 'https://json-schema.org/keyword/contains';

/** Evaluating a schema takes more steps than the sizes of the schema and the instance allow. */
export class TooManySteps extends Error {}

/**
 * Collects failures like the library's own plugin, but ends an evaluation that would take exponential time.
 * In a schema of a kilobyte, thirty definitions can each refer to the next one twice.
 */
export class BoundedOutput extends BasicOutputPlugin {
  #stepsLeft: number;
  #kept = 0;

  /** @param steps the number of evaluations of subschemas after which {@link TooManySteps} is thrown */
  constructor(steps: number) {
    super();
    this.#stepsLeft = steps;
  }

  override beforeSchema() {
    if (this.#stepsLeft-- <= 0) throw new TooManySteps();
  }

  override afterKeyword(...[node, instance, context, valid, schemaContext, keyword]: AfterKeyword) {
    if (valid || this.#kept++ >= maxKeptFailures) return;
    // The failures of single items do not explain why `contains` fails.
    if (keyword.id === contains) context.errors = [];
    super.afterKeyword(node, instance, context, valid, schemaContext, keyword);
  }

  /** Called with the failure of the schema `false`, which has no keyword. */
  override afterSchema(...[url, instance, context, valid]: AfterSchema) {
    super.afterSchema(url, instance, context, valid || this.#kept++ >= maxKeptFailures);
  }
}
