import { BasicOutputPlugin } from '@hyperjump/json-schema/experimental';

type AfterKeyword = Parameters<BasicOutputPlugin['afterKeyword']>;
type AfterSchema = Parameters<BasicOutputPlugin['afterSchema']>;

/** Failures that are kept while alternatives are tried, about 30 MB; most are forgotten in the end. */
const mostKept = 200_000;

const contains = 'https://json-schema.org/keyword/contains';

/** A schema asked for more work than it and its instance are long. */
export class TooManySteps extends Error {}

/**
 * Collects failures as the library's own plugin does, but ends what would take exponential time: a
 * schema of a kilobyte can refer to each of its parts twice, thirty times over.
 */
export class BoundedOutput extends BasicOutputPlugin {
  #stepsLeft: number;
  #kept = 0;

  /** @param steps subschemas that may be evaluated, each time counting */
  constructor(steps: number) {
    super();
    this.#stepsLeft = steps;
  }

  override beforeSchema() {
    if (this.#stepsLeft-- <= 0) throw new TooManySteps();
  }

  override afterKeyword(...[node, instance, context, valid, schemaContext, keyword]: AfterKeyword) {
    if (valid || this.#kept++ >= mostKept) return;
    // Any item may fail `contains`, as long as enough others do not.
    if (keyword.id === contains) context.errors = [];
    super.afterKeyword(node, instance, context, valid, schemaContext, keyword);
  }

  /** Here the schema `false` fails. */
  override afterSchema(...[url, instance, context, valid]: AfterSchema) {
    super.afterSchema(url, instance, context, valid || this.#kept++ >= mostKept);
  }
}
