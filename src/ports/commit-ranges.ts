/** Commits of the user's repository and how they are connected. Nothing is fetched. */
export interface CommitRanges {
  /** Whether the history is cut off, as in a clone with a depth. */
  isShallow(): Promise<boolean>
  /** The parents of a commit; null when the repository does not have the commit. */
  parentsOf(sha: string): Promise<readonly string[] | null>
  /** The commits without parents in the history of a commit, as far as that is here. */
  roots(sha: string): Promise<readonly string[]>
  /** The best commit that both have in their history; null without one. */
  mergeBase(one: string, other: string): Promise<string | null>
  /**
   * The commits of `head` that `base` does not have, the newest first: at most `max` of them, and
   * how many there are.
   */
  commitsBetween(
    base: string,
    head: string,
    max: number,
  ): Promise<{ readonly commits: readonly string[]; readonly count: number }>
  /** The commits that have a note of Drydock, as far as it is here. */
  noted(): Promise<ReadonlySet<string>>
  /** The tip of a branch of a remote as it was last fetched; null when it was not. */
  remoteBranch(remote: string, branch: string): Promise<string | null>
  /** Brings these commits into the mirror, which is made if there is none. */
  takeIn(commits: readonly string[]): Promise<void>
}
