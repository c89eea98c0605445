/** Where finished work is handed over: a branch, and a note that holds its receipt. */
export interface Publisher {
  /**
   * Sets `branch` of the user's repository to `sha`: with `from` null it must be new, else at
   * exactly that commit. Idempotent: a branch that is at `sha` already is left alone. Runs no hooks
   * and touches no files. DrydockError `git_failed` when the branch is anywhere else, or would be
   * moved while it is checked out in a work tree of the user's.
   */
  publish(branch: string, sha: string, from: string | null): Promise<void>
  /**
   * Makes `text`, byte for byte, the one note of a commit of the mirror in `refs/notes/drydock`, of
   * the mirror and of the user's repository, which gets the commit with it and is left with all
   * other notes that it has. `at` dates it. Idempotent: a note that is there already is left alone.
   * Runs no hooks. DrydockError `git_failed`.
   */
  note(input: { readonly sha: string; readonly text: string; readonly at: Date }): Promise<void>
}
