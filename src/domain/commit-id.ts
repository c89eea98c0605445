/**
 * True for the whole id of a commit, which can be neither an option nor a path nor another name.
 */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
