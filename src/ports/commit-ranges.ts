/** Commits of the user's repository and how they are connected. Nothing is fetched. */
export interface CommitRanges {
  /** True if the history is cut off, as in a shallow clone. */
  isShallow(): Promise<boolean>
  /** The parents of a commit; null when the repository does not have the commit. */
  parentsOf(sha: string): Promise<readonly string[] | null>
  /** The commits without parents in the history of a commit, as far as it is present. */
  roots(sha: string): Promise<readonly string[]>
  /** The best common ancestor; null without one. */
  mergeBase(one: string, other: string): Promise<string | null>
  /**
   * The commits of `head` that `base` does not have, newest first: at most `max` of them, and their
   * total.
   */
  commitsBetween(
    base: string,
    head: string,
    max: number,
  ): Promise<{ readonly commits: readonly string[]; readonly count: number }>
  /** The commits with a note of Drydock, as far as notes are present. */
  noted(): Promise<ReadonlySet<string>>
  /** The tip of a remote's branch at the last fetch; null without one. */
  remoteBranch(remote: string, branch: string): Promise<string | null>
  /** Copies these commits into the mirror, which is created if necessary. */
  takeIn(commits: readonly string[]): Promise<void>
}
