/**
 * A reason not to send. Every module throws this and nothing else; the page turns the code into words.
 *
 * Refusing is the only way to fail here: there is no second-best generator, no guessed table, no plain sending.
 */
export class Refusal extends Error {
  /**
   * @param {string} code  names the sentence `refused-<code>` of the page
   * @param {Record<string, string | number>} [values]  what the sentence's placeholders stand for
   */
  constructor(code, values = {}) {
    super(`${code} ${JSON.stringify(values)}`);
    this.name = "Refusal";
    this.code = code;
    this.values = values;
  }
}
