/** The destination of finished work: a branch, and a note that holds its receipt. */
export interface Publisher {
  /**
   * Sets `branch` of the user's repository to `sha`. With `from` null the branch must not exist;
   * otherwise it must be at exactly that commit. Idempotent: a branch that is already at `sha`
   * stays as it is. Runs no hooks and touches no files. Throws DrydockError `git_failed` when the
   * branch is anywhere else, or when it would move while a work tree of the user has it checked
   * out.
   */
  publish(branch: string, sha: string, from: string | null): Promise<void>
  /**
   * True if `branch` is at `sha` already. Changes nothing, and throws what `publish` would throw
   * now.
   */
  check(branch: string, sha: string, from: string | null): Promise<boolean>
  /**
   * Moves an existing branch from `from` to `sha`, a descendant of it. If a work tree of the user
   * has the branch checked out, its files move along; local changes there are an error. Idempotent.
   * Runs no hooks. Throws DrydockError `branch_moved`, `apply_refused` or `git_failed`.
   */
  advance(branch: string, sha: string, from: string): Promise<void>
  /**
   * Makes `text`, byte for byte, the only note of a commit in `refs/notes/drydock`, both in the
   * mirror and in the user's repository. The user's repository receives the commit as well and
   * keeps all its other notes. `at` is the date of the note. Idempotent: an existing equal note
   * stays as it is. Runs no hooks. Throws DrydockError `git_failed`.
   */
  note(input: { readonly sha: string; readonly text: string; readonly at: Date }): Promise<void>
}
