/** Something the user can be told. `code` is what clients look at, never the message. */
export class PlanError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = 'PlanError';
    this.code = code;
  }
}
